import { execute, onEveryDatabase } from "../support/databases";
import { Rest } from "../support/rest";
import { command, endOf, ServerProcess } from "../support/server";

const NO_KEY = { TUNNELPLANE_BOOTSTRAP_API_KEY: undefined };
const KEY = /shown this once and never again:\s+(tpk_\S+)/;
const CURE = "tunnelplane keys recover";

onEveryDatabase("The admin's key of a first start", (start, database) => {
  const logOf = async (data: string, env: Record<string, string | undefined> = NO_KEY): Promise<string> => {
    const server = await start({ data, env });
    await server.stop();
    return server.log;
  };

  it("is made and shown by the first start that listens, and not by one whose port another server has", async () => {
    const [data, other] = [await database.create(), await ServerProcess.start()];
    const failed = await endOf(command(data, ["serve", "--listen", new URL(other.url).host], NO_KEY));
    await other.stop();
    expect(failed).to.include({ code: 1 });
    expect(failed.err).to.contain("another server listens there");
    expect(failed.out).to.equal("");
    const server = await start({ data, env: NO_KEY });
    const key = KEY.exec(server.printed)?.[1] ?? "";
    expect((await new Rest(server.url, key).get("/caller")).status).to.equal(200);
    await server.stop();
    expect(server.log).not.to.contain(CURE);
    const again = await start({ data, env: NO_KEY });
    await again.stop();
    expect(again.printed).not.to.match(KEY);
    expect(again.log).not.to.contain(CURE);
  });

  // The rest reads one setting, which both databases keep alike.
  if (database.name !== "SQLite") return;

  it("is said to be lost by the next start, where a start ended before it showed it", async () => {
    const data = await database.create();
    await logOf(data);
    await execute(data, "update setting set value = 'no' where name = 'admin_key_shown'");
    expect(await logOf(data)).to.contain(CURE);
    const { out, code } = await endOf(command(data, ["keys", "recover"]));
    expect(code).to.equal(0);
    const server = await start({ data, env: NO_KEY });
    expect((await new Rest(server.url, out.trim()).get("/caller")).status).to.equal(200);
    await server.stop();
    expect(server.log).not.to.contain(CURE);
  });

  it("is not asked for where the environment gave it", async () => {
    const [data, given] = [
      await database.create(),
      { TUNNELPLANE_BOOTSTRAP_API_KEY: "tpk_given-by-the-environment" },
    ];
    await logOf(data, given);
    expect(await logOf(data, given)).not.to.contain(CURE);
    expect(await logOf(data)).not.to.contain(CURE);
  });
});
