import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../../support/folder";
import { Rest } from "../../support/rest";
import { API_KEY, run, ServerProcess } from "../../support/server";

/** The embedded database: other users of the machine may not read its files, old ones and copies too. */
describe("The files of a data folder", () => {
  const running: ServerProcess[] = [];
  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop("SIGKILL");
  });

  const serve = async (data: string) => {
    const server = await ServerProcess.start({ data, env: { TUNNELPLANE_MASTER_KEY: undefined } });
    running.push(server);
    return new Rest(server.url, API_KEY);
  };
  const modesIn = (folder: string) =>
    Object.fromEntries(
      readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
    );
  const closed = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "600"]));
  const OURS = ["master.key", "tunnelplane.db", "tunnelplane.db-shm", "tunnelplane.db-wal"];

  it("can be read by their owner only, from the first start on", async () => {
    const folder = newFolder();
    const rest = await serve(folder);
    expect((await rest.post("/ip_policies", {})).status).to.equal(201);
    expect(modesIn(folder)).to.deep.equal(closed(...OURS));
  });

  it("are closed again if they were open to others; so is the folder if nothing else is in it", async () => {
    const folder = newFolder();
    await serve(folder);
    await running.pop()?.stop("SIGKILL"); // so that its write-ahead log stays
    for (const name of OURS.slice(1)) chmodSync(join(folder, name), 0o644);
    chmodSync(folder, 0o755);
    const rest = await serve(folder);
    expect((await rest.get("/ip_policies")).status).to.equal(200);
    expect(modesIn(folder)).to.deep.equal(closed(...OURS));
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
  });

  it("are closed by commands, too, but not a folder with other files in it", async () => {
    const folder = newFolder();
    await serve(folder);
    await running.pop()?.stop();
    writeFileSync(join(folder, "notes"), "not ours", { mode: 0o644 });
    chmodSync(join(folder, "tunnelplane.db"), 0o666);
    chmodSync(folder, 0o755);
    const file = join(newFolder(), "backup");
    expect((await run(folder, "backup", file)).code).to.equal(0);
    expect(modesIn(folder)).to.include({ "tunnelplane.db": "600", notes: "644" });
    expect(statSync(folder).mode & 0o777).to.equal(0o755);
  });
});
