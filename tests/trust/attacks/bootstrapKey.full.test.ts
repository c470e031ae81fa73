import { join } from "node:path";
import { runOn } from "../../support/commandLine";
import { onEveryDatabase, onOneDatabase, untilTestEnds } from "../../support/databases";
import { newFolder } from "../../support/folder";
import { refusedBeside } from "../../support/refusal";
import { Rest } from "../../support/rest";
import { API_KEY, type ServerProcess } from "../../support/server";

const OTHER = "tpk_of-somebody-who-sets-the-environment";

/** Deletes a key that opens a server with another one, or with itself. */
async function deleteKey({ url }: ServerProcess, key: string, by = key): Promise<void> {
  const { key_id } = (await new Rest(url, key).get("/caller")).body;
  expect((await new Rest(url, by).delete(`/api_keys/${key_id}`)).status).to.equal(204);
}

onOneDatabase("The bootstrap key", (startServer, database) => {
  const start = untilTestEnds(startServer);
  const expectOnly = ({ url }: ServerProcess, known: string, ...unknown: string[]) => {
    const ask = (key: string) => () => new Rest(url, key).get("/ip_policies");
    return refusedBeside({ refused: unknown.map(ask), as: 401, allowed: ask(known) });
  };

  it("counts at the first start; is ignored if it differs later, and once it was deleted, and the log says so", async () => {
    const data = await database.create();
    const first = await start({ data });
    const second = await start({ data, env: { TUNNELPLANE_BOOTSTRAP_API_KEY: OTHER } });
    await expectOnly(second, API_KEY, OTHER);
    const { token } = (await new Rest(first.url, API_KEY).post("/api_keys", {})).body;
    await (await start({ data })).stop();
    await deleteKey(first, API_KEY, token);
    for (const server of [first, second]) await server.stop();
    const [known, differing] = [first.log, second.log].map((log) =>
      log.split("\n").filter((line) => line.includes("is ignored")),
    );
    expect(known, "where it is known, nothing is logged").to.deep.equal([]);
    expect(differing).to.have.length(1);
    const again = await start({ data });
    await expectOnly(again, token, API_KEY);
    await again.logged("TUNNELPLANE_BOOTSTRAP_API_KEY is not a key of this database and is ignored");
    expect(again.log).to.include("tunnelplane keys recover").and.not.to.include(API_KEY);
    expect((await new Rest(again.url, token).get("/api_keys")).body.keys).to.have.length(1);
  });

  it("stays deleted when a backup is restored, and even if no admin has a key any more", async () => {
    const data = await database.create();
    const server = await start({ data });
    const { token } = (await new Rest(server.url, API_KEY).post("/api_keys", {})).body;
    await deleteKey(server, API_KEY, token);
    const file = join(newFolder(), "backup.gz");
    expect((await runOn(data, "backup", file)).code).to.equal(0);
    const copy = await database.create();
    expect((await runOn(copy, "restore", file)).code).to.equal(0);
    const restored = await start({ data: copy });
    await expectOnly(restored, token, API_KEY);
    await deleteKey(server, token);
    await server.stop();
    const keyless = await start({ data });
    const recovered = (await runOn(data, "keys", "recover")).out.trim();
    await expectOnly(keyless, recovered, API_KEY, token);
  });

  it("is ignored if the first start created a key and showed it", async () => {
    const data = await database.create();
    const first = await start({ data, env: { TUNNELPLANE_BOOTSTRAP_API_KEY: undefined } });
    const shown = /tpk_[\w-]{43}/.exec(first.printed + first.log)?.[0] ?? "";
    await expectOnly(await start({ data }), shown, API_KEY);
  });
});

onEveryDatabase("tunnelplane keys recover", (startServer, database) => {
  const start = untilTestEnds(startServer);

  it("creates an admin's API key beside a running server, shows it once, and is in the audit log; works without a server and any other key", async () => {
    const server = await start();
    const { code, out, err } = await runOn(server.data, "keys", "recover");
    expect(code, err).to.equal(0);
    expect(out).to.match(/^tpk_[\w-]{43}\n$/);
    expect(err).to.include("shown this once").and.not.to.include(out.trim());
    const rest = new Rest(server.url, out.trim());
    const { body: caller } = await rest.get("/caller");
    expect(caller).to.include({ role: "admin", expires_at: null });
    expect(err).to.include(caller.key_id);
    const [made, recovered] = (await rest.get("/audit_events?limit=2")).body.audit_events;
    const { operation_id } = made;
    expect(made).to.include({ action: "api_key_created", object_id: caller.key_id, key_id: null });
    expect(recovered).to.include({ action: "admin_key_recovered", operation_id });
    for (const row of [made, recovered]) expect(row).to.include({ principal_id: "command-line" });
    for (const key of [API_KEY, out.trim()]) await deleteKey(server, key); // keys that are known stay until then
    const verified = await runOn(server.data, "audit", "verify");
    expect(verified.code, verified.err).to.equal(0);
    await server.stop();
    const key = (await runOn(server.data, "keys", "recover")).out.trim();
    const again = new Rest((await start({ data: server.data })).url, key);
    expect((await again.get("/caller")).body.role).to.equal("admin");
    expect((await again.get("/api_keys")).body.keys).to.have.length(1);
  });

  it("says what to do if there is nothing to recover", async () => {
    const empty = await database.create();
    const { code, out, err } = await runOn(empty, "keys", "recover");
    expect(code).to.equal(1);
    expect(out).to.equal("");
    expect(err.trim().split("\n")).to.have.length(1);
    expect(err).to.match(/There is no database|"tunnelplane serve" makes one/);
    expect((await runOn(empty, "audit", "verify")).err, "nothing was made").to.equal(err);
    const help = (await runOn("nowhere", "keys", "recover", "--help")).out;
    expect(help).to.include("server's machine").and.to.include("audit log");
  });
});
