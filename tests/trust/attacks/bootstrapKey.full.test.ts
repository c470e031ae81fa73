import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { runOn } from "../../support/commandLine";
import { onEveryDatabase, onOneDatabase, untilTestEnds } from "../../support/databases";
import { Rest } from "../../support/rest";
import { API_KEY } from "../../support/server";

const BEFORE_KEY = { TUNNELPLANE_BOOTSTRAP_API_KEY: undefined };

onOneDatabase("The bootstrap key", (startServer, database) => {
  const start = untilTestEnds(startServer);
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-bootstrap-"));
  after(() => rmSync(folder, { recursive: true }));

  const statusWith = async (url: string, key: string) =>
    (await new Rest(url, key).get("/ip_policies")).status;

  /** A database whose bootstrap key was deleted after another key was created. */
  async function withoutBootstrapKey() {
    const data = await database.create();
    const server = await start({ data });
    const first = new Rest(server.url, API_KEY);
    const { token } = (await first.post("/api_keys", {})).body;
    const { key_id } = (await first.get("/caller")).body;
    expect((await new Rest(server.url, token).delete(`/api_keys/${key_id}`)).status).to.equal(204);
    await server.stop();
    return { data, token };
  }

  it("stays deleted when the server starts again with it, and the log says so without the key", async () => {
    const { data, token } = await withoutBootstrapKey();
    const again = await start({ data });
    expect(await statusWith(again.url, API_KEY)).to.equal(401);
    expect(await statusWith(again.url, token)).to.equal(200);
    await again.logged("TUNNELPLANE_BOOTSTRAP_API_KEY is no key of this database and is ignored");
    expect(again.log).to.include("tunnelplane keys recover").and.not.to.include(API_KEY);
    expect((await new Rest(again.url, token).get("/api_keys")).body.keys).to.have.length(1);
  });

  it("stays deleted even if no admin has a key any more", async () => {
    const data = await database.create();
    const server = await start({ data });
    const rest = new Rest(server.url, API_KEY);
    expect((await rest.delete(`/api_keys/${(await rest.get("/caller")).body.key_id}`)).status).to.equal(204);
    await server.stop();
    expect(await statusWith((await start({ data })).url, API_KEY)).to.equal(401);
  });

  it("stays deleted when a backup is restored", async () => {
    const { data, token } = await withoutBootstrapKey();
    const file = join(folder, `${database.name}.gz`);
    expect((await runOn(data, "backup", file)).code).to.equal(0);
    const restored = await database.create();
    expect((await runOn(restored, "restore", file)).code).to.equal(0);
    const server = await start({ data: restored });
    expect(await statusWith(server.url, API_KEY)).to.equal(401);
    expect(await statusWith(server.url, token)).to.equal(200);
  });

  it("is ignored if it differs from the one of the first start; if it is known, nothing is logged", async () => {
    const data = await database.create();
    const first = await start({ data });
    const second = await start({ data });
    expect(await statusWith(second.url, API_KEY)).to.equal(200);
    const other = "tpk_of-somebody-who-sets-the-environment";
    const third = await start({ data, env: { TUNNELPLANE_BOOTSTRAP_API_KEY: other } });
    expect(await statusWith(third.url, other)).to.equal(401);
    expect(await statusWith(third.url, API_KEY)).to.equal(200);
    for (const server of [first, second, third]) await server.stop();
    expect([first, second, third].map(({ log }) => log.includes("is ignored"))).to.deep.equal([
      false,
      false,
      true,
    ]);
  });

  it("is ignored if the first start created a key and showed it", async () => {
    const data = await database.create();
    await (await start({ data, env: BEFORE_KEY })).stop();
    expect(await statusWith((await start({ data })).url, API_KEY)).to.equal(401);
  });
});

onEveryDatabase("tunnelplane keys recover", (startServer, database) => {
  const start = untilTestEnds(startServer);

  it("creates an admin's API key next to a running server, shows it once, and is in the audit log", async () => {
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
    expect(made).to.include({
      action: "api_key_created",
      object_id: caller.key_id,
      principal_id: "command-line",
      key_id: null,
    });
    expect(recovered).to.include({
      action: "admin_key_recovered",
      principal_id: "command-line",
      operation_id: made.operation_id,
    });
    expect((await new Rest(server.url, API_KEY).get("/caller")).status, "keys that are known stay").to.equal(
      200,
    );
    const verified = await runOn(server.data, "audit", "verify");
    expect(verified.code, verified.err).to.equal(0);
  });

  it("works without a server, even if every key was deleted", async () => {
    const data = await database.create();
    const server = await start({ data });
    const rest = new Rest(server.url, API_KEY);
    await rest.delete(`/api_keys/${(await rest.get("/caller")).body.key_id}`);
    await server.stop();
    const key = (await runOn(data, "keys", "recover")).out.trim();
    const again = new Rest((await start({ data })).url, key);
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
