import { expectRefused, hostport, unavailable } from "../support/api/expect";
import { refusalToServe } from "../support/commandLine";
import { sharedPostgres } from "../support/databases";
import { PASSWORD, PostgresServer, type Session, waiting } from "../support/postgres";
import type { Rest, RestAnswer } from "../support/rest";
import { ServerProcess } from "../support/server";

describe("A server whose PostgreSQL database goes away", () => {
  let postgres: PostgresServer;
  let url: string;
  let server: ServerProcess;
  let rest: Rest;
  before("start PostgreSQL and a server", async () => {
    postgres = await PostgresServer.start(); // other tests need the shared one
    url = await postgres.newDatabase();
    server = await ServerProcess.start({ data: url });
    rest = server.rest;
  });

  const expectUnavailable = (answer: RestAnswer): void => {
    expectRefused(answer, unavailable);
    expect(answer.headers.get("retry-after")).to.match(/^\d+$/);
  };
  const inSession = async (use: (session: Session) => Promise<void>): Promise<void> => {
    const session = await postgres.connect(url);
    try {
      await use(session);
    } finally {
      await session.end();
    }
  };
  const ready = async (): Promise<number> => (await fetch(`${server.url}/readyz`)).status;
  const untilReady = async (): Promise<void> => {
    while ((await ready()) !== 200);
  };

  it("answers 503 with Retry-After meanwhile, is not ready, and recovers by itself afterwards", async () => {
    const { body } = await rest.post("/ip_policies", { description: "before" });
    const path = `/ip_policies/${body.id}`;
    await postgres.pause();
    try {
      expectUnavailable(await rest.get(path));
      expectUnavailable(await rest.post("/ip_policies", {}));
      expectUnavailable(await rest.patch(path, { description: "meanwhile" }));
      expectUnavailable(await rest.delete(path));
      expect(await ready()).to.equal(503);
      expect((await fetch(`${server.url}/livez`)).status).to.equal(200);
    } finally {
      await postgres.resume();
    }
    await untilReady();
    expect((await rest.get("/ip_policies")).body.ip_policies).to.deep.equal([body]);
    expect((await rest.patch(path, { description: "after" })).status).to.equal(200);
  });

  it("changes nothing if the connection is cut in the middle of a change, and answers 503", async () => {
    const [kept, wanted] = [hostport(), hostport()];
    const backend = (await rest.post("/backends/tunnel_group", { labels: { app: "shop" } })).body;
    const edge = (await rest.post("/edges/tls", { hostports: [kept] })).body;
    await inSession(async (session) => {
      // The change has written the edge already when it comes to the backend, where it is held up.
      await session.query("begin");
      await session.query("select from resource where id = $1 for update", [backend.id]);
      const answer = rest.patch(edge.uri, {
        description: "cut off",
        hostports: [wanted],
        backend: { backend_id: backend.id },
      });
      const [pid] = await waiting(session, 1);
      await session.query("select pg_terminate_backend($1)", [pid]);
      expectUnavailable(await answer);
      await session.query("commit");
    });
    expect((await rest.get(edge.uri)).body).to.deep.equal(edge);
    expect((await rest.post("/edges/tls", { hostports: [wanted] })).status).to.equal(201);
    expect((await rest.delete(backend.uri)).status).to.equal(204);
  });

  it("says that the outcome is unknown if the connection is cut during the commit", async () => {
    await inSession(async (session) => {
      // A constraint that PostgreSQL checks when it commits, which the test holds up.
      await session.query(
        "create function hold_up() returns trigger language plpgsql as 'begin perform pg_advisory_lock(1); return null; end'",
      );
      await session.query(
        "create constraint trigger hold_up after insert on resource deferrable initially deferred for each row execute function hold_up()",
      );
      await session.query("select pg_advisory_lock(1)");
      const answer = rest.post("/ip_policies", {});
      const [pid] = await waiting(session, 1);
      await session.query("select pg_terminate_backend($1)", [pid]);
      expectRefused(await answer, {
        status: 500,
        code: "TP_1800",
        mentions: ["not known whether the change was made"],
      });
      expect((await answer).headers.has("retry-after")).to.equal(false);
      await session.query("drop function hold_up cascade");
    });
    expect((await rest.post("/ip_policies", {})).status).to.equal(201);
  });

  it("neither prints nor logs the password of the database", async () => {
    await server.logged("request failed");
    expect(server.log + server.printed).not.to.contain(PASSWORD);
  });
});

describe("A server on a PostgreSQL database", () => {
  it("logs the place of its data, without user and password", async () => {
    const data = await (await sharedPostgres()).newDatabase();
    const server = await ServerProcess.start({ data });
    await server.stop();
    const { host, pathname } = new URL(data);
    expect(server.printed).to.contain(`data in postgres://${host}${pathname}\n`);
    expect(server.printed).not.to.contain(PASSWORD);
  });

  it("says in one line why it cannot start if the database refuses it or cannot be reached", async () => {
    const data = await (await sharedPostgres()).newDatabase();
    for (const [wrong, reason] of [
      [data.replace(PASSWORD, "wrong-password"), "password authentication failed"],
      [`${data}_unknown`, "does not exist"],
      [data.replace(/:\d+\//, ":1/"), "ECONNREFUSED"],
    ] as const) {
      const message = await refusalToServe(wrong);
      expect(message)
        .to.contain(new URL(wrong).host)
        .and.to.contain(reason)
        .and.not.to.match(/\n\s+at /);
      expect(message).not.to.contain(PASSWORD).and.not.to.contain("wrong-password");
    }
  });

  it("refuses an ambiguous URL, without repeating the password in it", async () => {
    for (const password of ["12/secret", "12?secret", "12#secret", "12@/secret"]) {
      const message = await refusalToServe(`postgres://user:${password}@127.0.0.1:5432/name`);
      expect(message)
        .to.contain('must look like "postgres://user:password@host:5432/database"')
        .and.to.contain("percent-encoding");
      expect(message).not.to.contain("secret").and.not.to.match(/12\b/);
    }
  });

  it("opens no more connections than configured, and one for the event log", async () => {
    const postgres = await sharedPostgres();
    const data = await postgres.newDatabase();
    const server = await ServerProcess.start({ data, env: { TUNNELPLANE_DATABASE_POOL: "2" } });
    const rest = server.rest;
    const answers = await Promise.all(Array.from({ length: 30 }, () => rest.post("/ip_policies", {})));
    const session = await postgres.connect(data);
    const { rows } = await session.query(
      "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await session.end();
    await server.stop();
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(rows).to.have.length(2 + 1);
    expect(await refusalToServe(data, { env: { TUNNELPLANE_DATABASE_POOL: "none" } })).to.contain(
      "Expected a whole number from 1 to 9999",
    );
  });
});
