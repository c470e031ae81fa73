import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expectRefused, overloaded } from "../support/api/expect";
import { onOneDatabase, sharedPostgres, untilTestEnds } from "../support/databases";
import { type Session, waiting } from "../support/postgres";
import { Connection } from "../support/rawHttp";
import { Rest } from "../support/rest";
import { ServerProcess } from "../support/server";

const LIMIT_OF = (count: number) => ({ args: ["--concurrency-limit", String(count)] });

function request(server: ServerProcess, line: string, body = "", key = server.apiKey): string {
  const lines = [
    ...[`${line} HTTP/1.1`, `Host: ${new URL(server.url).host}`, `Authorization: Bearer ${key}`],
    "Service-Version: 2",
  ];
  if (body) lines.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

async function refusedSoFar(server: ServerProcess): Promise<number> {
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.apiKey}` },
  });
  return Number(/^tunnelplane_http_requests_refused_total (\d+)$/m.exec(await metrics.text())?.[1]);
}

onOneDatabase("A server with more requests than slots", (startServer) => {
  const connections: Connection[] = [];
  const connect = async (server: ServerProcess): Promise<Connection> => {
    const connection = await Connection.open(server.url);
    connections.push(connection);
    return connection;
  };
  /** Sends requests in one piece, so that they certainly arrive together. */
  const onOneConnection = async (server: ServerProcess, requests: readonly string[]) => {
    const connection = await connect(server);
    connection.send(requests.join(""));
    return connection.answers(requests.length);
  };
  /** Sends a request on each of many connections while the server is paused, so that it finds all at once. */
  const onManyConnections = async (server: ServerProcess, count: number, text: string) => {
    const crowd = await Promise.all(Array.from({ length: count }, () => connect(server)));
    for (const connection of crowd) connection.send(request(server, "GET /livez"));
    for (const connection of crowd) await connection.answers(1);
    await server.pause();
    for (const connection of crowd) connection.send(text);
    server.signal("SIGCONT");
    return (await Promise.all(crowd.map((connection) => connection.answers(1)))).flat();
  };
  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.close();
  });
  const start = untilTestEnds(startServer); // after the connections, which a server would wait for

  for (const [what, line, status] of [
    ["reads", "GET /ip_policies", 200],
    ["changes", "POST /ip_policies", 201],
  ] as const) {
    it(`accepts as many ${what} of one owner as half of its limit, refuses the others with Retry-After, and then serves as before`, async () => {
      const server = await start(LIMIT_OF(5));
      const answers = await onManyConnections(server, 20, request(server, line, status === 201 ? "{}" : ""));
      expect(answers.filter((answer) => answer.status === status)).to.have.length(3);
      for (const answer of answers.filter((answer) => answer.status !== status)) {
        expectRefused(answer, { ...overloaded, mentions: ["3 requests"] });
        expect(answer.headers.get("retry-after")).to.equal("1");
      }
      const rest = server.rest;
      expect((await rest.post("/ip_policies", {})).status).to.equal(201);
      const kept = (await rest.get("/ip_policies")).body.ip_policies;
      expect(kept).to.have.length(status === 201 ? 3 + 1 : 1);
      expect(await refusedSoFar(server)).to.equal(17);
      expect(server.log).not.to.contain("request failed"); // refusals are no failures
    });
  }

  it("accepts fewer of an owner while it refuses many, and as many as before once they stay away", async () => {
    const server = await start(LIMIT_OF(16));
    const accepted = async (count: number) => {
      const answers = await onManyConnections(server, count, request(server, "GET /ip_policies"));
      return answers.filter(({ status }) => status === 200).length;
    };
    expect(await accepted(100)).to.equal(8);
    for (let count = 8; count !== 4; count = await accepted(100));
    // As Retry-After says.
    for (let count = 4; count !== 8; count = await accepted(8)) await sleep(1000);
  });

  it("refuses before it reads more than the key", async () => {
    const server = await start(LIMIT_OF(1));
    const read = request(server, "GET /ip_policies");
    const [first, other] = await onOneConnection(server, [
      read,
      request(server, "GET /ip_policies?nonsense=1"),
    ]);
    expect(first?.status).to.equal(200);
    expectRefused(other as NonNullable<typeof other>, overloaded);
  });

  it("still answers its health checks", async () => {
    const server = await start(LIMIT_OF(1));
    const urgent = ["/livez", "/readyz", "/metrics"].map((path) => request(server, `GET ${path}`));
    const read = request(server, "GET /ip_policies");
    const answers = await onOneConnection(server, [read, read, ...urgent]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 503, 200, 200, 200]);
  });

  it("gives no slots to requests whose bodies arrive slowly", async () => {
    const server = await start(LIMIT_OF(1));
    const slow = request(server, "POST /ip_policies", `{"description": "slow"}`);
    const late = await connect(server);
    late.send(slow.slice(0, -5));
    const others = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const connection = await connect(server);
        connection.send(slow.slice(0, -5));
      }),
    );
    expect(others).to.have.length(10);
    const rest = server.rest;
    for (let again = 0; again < 20; again++) expect((await rest.get("/ip_policies")).status).to.equal(200);
    late.send(slow.slice(-5));
    expect((await late.answers(1))[0]?.status).to.equal(201);
  });

  it("accepts everything if the limit is 0", async () => {
    const server = await start(LIMIT_OF(0));
    const answers = await onManyConnections(server, 100, request(server, "GET /ip_policies?limit=1"));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(100);
  });
});

describe("A server whose only slot is taken", () => {
  let server: ServerProcess;
  let rest: Rest;
  let session: Session;
  before(async () => {
    const postgres = await sharedPostgres();
    const url = await postgres.newDatabase();
    server = await ServerProcess.start({ data: url, ...LIMIT_OF(1) });
    rest = server.rest;
    session = await postgres.connect(url);
  });
  after(() => session.end());

  /** Blocks a request at a locked row, so that the only slot is taken meanwhile. */
  const whileFull = async (work: () => Promise<void>): Promise<void> => {
    const { id } = (await rest.post("/ip_policies", { description: "held up" })).body;
    await session.query("begin");
    await session.query("select from resource where id = $1 for update", [id]);
    const held = rest.patch(`/ip_policies/${id}`, { metadata: "changed" });
    await waiting(session, 1);
    await work();
    await session.query("commit");
    expect((await held).status).to.equal(200);
  };

  it("refuses a started request when its body arrives, and keeps nothing of it", async () => {
    const slow = request(server, "POST /ip_policies", `{"description": "slow"}`);
    const connection = await Connection.open(server.url);
    connection.send(slow.slice(0, -5));
    expect((await rest.get("/ip_policies")).status).to.equal(200);
    await whileFull(async () => {
      connection.send(slow.slice(-5));
      const [late] = await connection.answers(1);
      expectRefused(late as NonNullable<typeof late>, overloaded);
    });
    connection.close();
    const descriptions = (await rest.get("/ip_policies")).body.ip_policies.map(
      (policy: { description: string }) => policy.description,
    );
    expect(descriptions).to.deep.equal(["held up"]);
  });

  it("does not read from a connection for 200 ms after it refused a request there", async () => {
    const connection = await Connection.open(server.url);
    await whileFull(async () => {
      const begun = performance.now();
      connection.send(request(server, "GET /ip_policies"));
      await connection.answers(1);
      connection.send(request(server, "GET /livez"));
      const [answer] = await connection.answers(1);
      expect(answer?.status).to.equal(200);
      // However busy the machine is, it cannot be less; timers are a millisecond early at most.
      expect(performance.now() - begun).to.be.at.least(199);
    });
    connection.close();
  });

  it("frees the slot if its client disconnects without the answer", async () => {
    const { id } = (await rest.post("/ip_policies", { description: "left alone" })).body;
    await session.query("begin");
    await session.query("select from resource where id = $1 for update", [id]);
    const connection = await Connection.open(server.url);
    connection.send(request(server, `PATCH /ip_policies/${id}`, `{"metadata": "changed"}`));
    await waiting(session, 1);
    connection.close();
    await session.query("commit");
    // The test times out if the slot stays taken.
    while ((await rest.get("/ip_policies")).status !== 200) await sleep(50);
  });

  it("looks up a key again if the lookup took longer than its result is valid, and refuses nobody for that", async () => {
    const postgres = await sharedPostgres();
    const data = await postgres.newDatabase();
    const [slow, lock] = [await ServerProcess.start({ data, ...LIMIT_OF(4) }), await postgres.connect(data)];
    try {
      const { token } = (await slow.rest.post("/api_keys", {})).body;
      await lock.query("begin");
      await lock.query("lock table one_time_secret in access exclusive mode");
      const first = new Rest(slow.url, token).get("/ip_policies");
      await waiting(lock, 1);
      await sleep(1_200);
      const second = new Rest(slow.url, token).get("/ip_policies");
      await sleep(300);
      await lock.query("commit");
      expect([(await first).status, (await second).status]).to.deep.equal([200, 200]);
    } finally {
      await lock.end();
    }
  });

  it("answers before its threads check bodies and judge guarantees", async function () {
    if (process.platform !== "linux") return this.skip();
    const body = { description: "office", metadata: "x".repeat(1_000) };
    expect((await new Rest(server.url, server.apiKey).post("/ip_policies", body)).status).to.equal(201);
    const tasks = `/proc/${server.pid}/task`;
    const niceness = (id: string) =>
      Number(readFileSync(`${tasks}/${id}/stat`, "utf8").split(") ")[1]?.split(" ")[16]);
    const named = (id: string) => readFileSync(`${tasks}/${id}/comm`, "utf8").trim();
    const checking = readdirSync(tasks).filter((id) => named(id) === "validation");
    expect(checking).to.have.length(1);
    for (const id of checking) expect(niceness(id)).to.be.above(niceness(String(server.pid)));
  });
});
