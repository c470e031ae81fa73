import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";
import { hostport } from "../support/api/expect";
import { atEndOfFile } from "../support/endOfFile";
import { hasPooler, startPooler } from "../support/pooler";
import { freePort } from "../support/ports";
import { PASSWORD, PostgresServer } from "../support/postgres";
import { refusedBeside } from "../support/refusal";
import { ServerProcess } from "../support/server";

describe("A server", () => {
  let postgres: PostgresServer;
  before("start a PostgreSQL of its own", async () => {
    postgres = await PostgresServer.start();
  });
  after(() => postgres.stop());

  /** 0 for a server that starts, or what it says before it ends. */
  const started = async (data: string): Promise<number | string> => {
    const server = await ServerProcess.start({ data }).catch((error: Error) => error.message);
    if (typeof server === "string") return server;
    const { status } = await server.rest.post("/ip_policies", {});
    await server.stop();
    return status;
  };

  (hasPooler ? it : it.skip)(
    "works with another one behind PgBouncer as it is installed, which pools sessions",
    async () => {
      const data = await startPooler(await postgres.newDatabase(), "session");
      const servers = [await ServerProcess.start({ data }), await ServerProcess.start({ data })];
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, index) => {
          const { rest } = servers[index % 2] as ServerProcess;
          return index % 3 === 0
            ? rest.post("/edges/tls", { hostports: [hostport()] })
            : rest.post("/ip_policies", { description: `${index}` });
        }),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 201));
      for (const { uri } of answers.map(({ body }) => body))
        for (const { url, rest } of servers)
          expect((await rest.get(new URL(uri, url).pathname)).status).to.equal(200);
      for (const server of servers) await server.stop();
    },
  );

  (hasPooler ? it : it.skip)(
    "says in one line what to set if a pooler mixes the sessions of its clients",
    async () => {
      const database = await postgres.newDatabase();
      const pooled = await startPooler(database, "transaction");
      const { refused } = await refusedBeside({
        refused: () => started(pooled),
        as: /set pool_mode = session/,
        allowed: () => started(database),
      });
      expect(refused[0])
        .not.to.contain(PASSWORD)
        .and.not.to.match(/\n\s+at /);
    },
  );

  it("says in one line what to do about a database that is not UTF-8", async () => {
    const database = await postgres.newDatabase();
    const session = await postgres.connect(database);
    await session.query(
      "create database old encoding 'LATIN1' locale 'C' locale_provider 'libc' template template0",
    );
    await session.end();
    await refusedBeside({
      refused: () => started(Object.assign(new URL(database), { pathname: "old" }).href),
      as: /is encoded in LATIN1, .*encoding 'UTF8' template template0/,
      allowed: () => started(database),
    });
  });

  it("takes what libpq takes: several hosts, of which one can be written to, and words", async () => {
    const database = await postgres.newDatabase();
    const { port, username, pathname } = new URL(database);
    const login = `${username}:${PASSWORD}`;
    const [dead, name] = [await freePort(), pathname.slice(1)];
    const words = `host='127.0.0.1' port=${port} dbname=${name} user=${username} password='${PASSWORD}'`;
    for (const text of [
      `postgres://${login}@127.0.0.1:${dead},127.0.0.1:${port}/${name}?target_session_attrs=read-write`,
      `postgresql://${login}@/${name}?host=127.0.0.1&port=${port}`,
      `postgresql://${login}@127.0.0.1:${port}/${name}?sslmode=prefer`,
      `postgresql:///${name}?host=127.0.0.1&port=${port}&user=${username}&password=${PASSWORD}`,
      words,
    ]) {
      const env = { TUNNELPLANE_DATABASE_URL: text, TUNNELPLANE_DATA: undefined };
      const server = await ServerProcess.start({ data: database, env });
      expect((await server.rest.get("/caller")).status, text).to.equal(200);
      expect(server.printed + server.log).not.to.contain(PASSWORD);
      await server.stop();
    }
    await refusedBeside({
      refused: () => started(`${database}?target_session_attrs=standby`),
      as: /a server writes/,
      allowed: () => started(database),
    });
  });

  it("is not ready while its database can only be read, and is again afterwards", async () => {
    const database = await postgres.newDatabase();
    const server = await ServerProcess.start({ data: database });
    const session = await postgres.connect(database);
    const readOnly = async (value: string) => {
      await session.query(`alter system set default_transaction_read_only = ${value}`);
      await session.query("select pg_reload_conf()");
    };
    const until = async (status: number) => {
      for (;;) if ((await server.rest.get("/readyz")).status === status) return;
    };
    await until(200);
    await readOnly("on");
    await until(503);
    await session.query("set default_transaction_read_only = off");
    await readOnly("off");
    await until(200);
    await session.end();
    await server.stop();
  });

  it("notices connections that vanished without a word, and goes on with new ones", async () => {
    const database = await postgres.newDatabase();
    const { port } = new URL(database);
    const pairs: Socket[][] = [];
    const relay = createServer((client) => {
      const target = connectTo(Number(port), "127.0.0.1");
      pairs.push([client, target]);
      for (const socket of [client, target]) socket.on("error", () => undefined);
      client.pipe(target).pipe(client);
    });
    await once(relay.listen(0, "127.0.0.1"), "listening");
    atEndOfFile(() => void relay.close());
    const data = Object.assign(new URL(database), {
      port: String((relay.address() as AddressInfo).port),
    }).href;
    const server = await ServerProcess.start({ data });
    expect((await server.rest.post("/ip_policies", {})).status).to.equal(201);
    // Nothing passes any more, and nobody is told.
    for (const [client, target] of pairs) {
      client?.unpipe().pause();
      target?.unpipe().pause();
    }
    await server.rest.post("/ip_policies", {});
    await server.logged("the connection vanished");
    for (;;) if ((await server.rest.post("/ip_policies", {})).status === 201) break;
    for (const sockets of pairs) for (const socket of sockets) socket.destroy();
    await server.stop();
  });
});
