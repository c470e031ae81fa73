import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unique } from "../support/api/expect";
import { sshKey } from "../support/api/fixtures";
import { refusalToServe, runHere } from "../support/commandLine";
import type { Database, Start } from "../support/databases";
import { contentOf, onEveryDatabase, onOneDatabase, rowsIn } from "../support/databases";
import { newFolder } from "../support/folder";
import type { Rest } from "../support/rest";
import { placeOf, run, type ServerProcess } from "../support/server";
import { canary, expectReadable, monitoring, secretsOf } from "./canaries";

/** A new database for each test, and servers that stop after it. */
function onNewDatabases(start: Start, database: Database) {
  let folder: string;
  let data: string;
  const servers: ServerProcess[] = [];
  beforeEach("have a new database", async () => {
    folder = newFolder();
    data = await database.create();
  });
  afterEach("stop the servers", async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  const serve = async (options: { env?: Record<string, string | undefined>; args?: string[] } = {}) => {
    const server = await start({ data, ...options });
    servers.push(server);
    return { server, rest: server.rest };
  };
  const keysIn = () => rowsIn(data, "select id, master_id from sealing_key");
  const sealedUnder = async () =>
    new Set([...JSON.stringify(await contentOf(data)).matchAll(/sealed:([\w-]+)\./g)].map(([, id]) => id));
  return { folder: () => folder, data: () => data, serve, keysIn, sealedUnder };
}

onEveryDatabase("The keys that seal secrets", (start, database) => {
  const { data, serve, keysIn, sealedUnder } = onNewDatabases(start, database);
  const count = database.name === "SQLite" ? 1 : 2;
  it(`are rotated while ${count === 1 ? "a server serves" : "two servers serve"}, and no request fails`, async () => {
    const running = [];
    for (let index = 0; index < count; index++) running.push(await serve());
    const rests = running.map(({ rest }) => rest);
    const rest = rests[0] as Rest;
    const secrets = await secretsOf(rest);
    const authority = (await rest.created("/ssh_certificate_authorities", {})).id;
    const old = (await keysIn()).map(({ id }) => id);
    let working = true;
    let requests = 0;
    const written: { id: string; secret: string }[] = [];
    const reader = async (index: number) => {
      while (working) {
        await expectReadable(rests[index % count] as Rest, secrets);
        requests += secrets.length;
      }
    };
    const writer = async (index: number) => {
      const mine = rests[index % count] as Rest;
      while (working) {
        const secret = canary();
        const { id } = await mine.created("/event_destinations", monitoring(canary()), {
          "idempotency-key": unique(),
        });
        const patched = await mine.patch(`/event_destinations/${id}`, monitoring(secret));
        expect(patched.status, patched.text).to.equal(200);
        written.push({ id, secret });
        requests += 2;
      }
    };
    const load = Promise.all(
      Array.from({ length: 4 }, (_, index) => (index % 2 ? reader(index >> 1) : writer(index >> 1))),
    );
    try {
      for (let turn = 0; turn < 2; turn++) {
        const { code, out, err } = await run(data(), "keys", "rotate");
        expect(code, err).to.equal(0);
        expect(out).to.match(/^Sealed \d+ rows under a new data key/);
        const keys = await keysIn();
        expect(keys).to.have.length(1);
        expect(old).not.to.include(keys[0]?.id);
        old.push(keys[0]?.id as string);
      }
    } finally {
      working = false;
    }
    await load;
    expect(requests).to.be.greaterThan(0);
    expect([...(await sealedUnder())]).to.deep.equal([old.at(-1)]);
    for (const { server } of running) await server.stop();
    const { rest: later } = await serve();
    await expectReadable(later, secrets);
    for (const { id, secret } of written) {
      expect((await later.get(`/event_destinations/${id}`)).body.target.monitoring_service.api_key).to.equal(
        secret,
      );
    }
    await later.created("/ssh_user_certificates", {
      ssh_certificate_authority_id: authority,
      public_key: sshKey().openssh,
      principals: ["a"],
    });
  });

  it("lose no secret if several rotate them at once", async () => {
    const { server, rest } = await serve();
    const secrets = await secretsOf(rest);
    for (let index = 0; index < 60; index++) await rest.created("/event_destinations", monitoring(canary()));
    const rotations = await Promise.all(Array.from({ length: 4 }, () => run(data(), "keys", "rotate")));
    expect(rotations.some(({ code }) => code === 0)).to.equal(true);
    for (const { code, err } of rotations.filter((ended) => ended.code !== 0)) {
      expect(code).to.equal(1);
      expect(err).to.include("rotated meanwhile");
    }
    await server.stop();
    const { rest: later } = await serve();
    await expectReadable(later, secrets);
    expect((await later.get("/event_destinations?limit=100")).status).to.equal(200);
    expect(await sealedUnder()).to.have.property("size", 1);
  });
});

onOneDatabase("The master key", (start, database) => {
  const { folder, data, serve, keysIn } = onNewDatabases(start, database);
  const refusedToStart = (options: Parameters<typeof refusalToServe>[1]) => refusalToServe(data(), options);
  /** Starts a server without the master key that tests usually pass; it is in a file. */
  const byFile = (file: string) => ({
    env: { TUNNELPLANE_MASTER_KEY: undefined },
    args: ["--master-key-file", file],
  });
  const runWithoutKey = (...args: string[]) =>
    runHere(args, { ...placeOf(data()), TUNNELPLANE_MASTER_KEY: undefined });

  it("can be opened with two master keys; after a rotation with the new one, the old one is refused", async () => {
    const [old, next] = [join(folder(), "old.key"), join(folder(), "next.key")];
    const first = await serve(byFile(old));
    const secrets = await secretsOf(first.rest);
    expect(statSync(old).mode & 0o777).to.equal(0o600);
    const key = readFileSync(old, "utf8").trim();
    const added = await runWithoutKey("keys", "add-master-key", next, "--master-key-file", old);
    expect(added.code, added.err).to.equal(0);
    expect(statSync(next).mode & 0o777).to.equal(0o600);
    await first.server.stop();
    for (const file of [old, next]) {
      const { server, rest } = await serve(byFile(file));
      await expectReadable(rest, secrets);
      await server.stop();
    }
    const rotated = await runWithoutKey("keys", "rotate", "--master-key-file", next);
    expect(rotated.code, rotated.err).to.equal(0);
    expect(await keysIn()).to.have.length(1);
    const message = await refusedToStart(byFile(old));
    expect(message).to.include("another master key").and.to.include("--master-key-file");
    expect(message).not.to.include(key);
    await expectReadable((await serve(byFile(next))).rest, secrets);
  });

  it("are not replaced if the master key is missing: the server refuses to start", async () => {
    const file = join(folder(), "master.key");
    const { server, rest } = await serve(byFile(file));
    await secretsOf(rest);
    await server.stop();
    const before = await contentOf(data());
    const key = readFileSync(file, "utf8");
    rmSync(file);
    expect(await refusedToStart(byFile(file)))
      .to.include("there is none here")
      .and.to.include("TUNNELPLANE_MASTER_KEY");
    expect(existsSync(file)).to.equal(false);
    expect(await contentOf(data())).to.deep.equal(before);
    writeFileSync(file, key, { mode: 0o644 });
    expect(await refusedToStart(byFile(file))).to.include("chmod 600");
    rmSync(file);
    for (const wrong of ["short", "", "x".repeat(64)]) {
      writeFileSync(file, wrong, { mode: 0o600 });
      const message = await refusedToStart(byFile(file));
      expect(message).to.include("openssl rand -base64 32");
      if (wrong) expect(message).not.to.include(wrong);
    }
    rmSync(file);
    writeFileSync(file, key, { mode: 0o600 });
    await serve(byFile(file));
    await serve({ env: { TUNNELPLANE_MASTER_KEY: Buffer.from(key, "base64").toString("hex") } });
  });
});
