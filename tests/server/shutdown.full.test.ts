import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { onEveryDatabase, sharedPostgres, untilTestEnds } from "../support/databases";
import { ServerProcess } from "../support/server";

async function send(server: ServerProcess, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => undefined); // a server that ends may cut it off
  await new Promise((resolve) => socket.write(bytes, resolve));
  return socket;
}

const head = (server: ServerProcess, ...lines: string[]): string =>
  [
    ...lines,
    `Host: ${new URL(server.url).host}`,
    `Authorization: Bearer ${server.apiKey}`,
    "Service-Version: 2",
  ].join("\r\n");

/** A request whose body does not end yet; the server has begun with it. */
async function unfinished(server: ServerProcess): Promise<Socket> {
  const line = "POST /ip_policies?secret=in-the-query HTTP/1.1";
  const headers = ["Content-Type: application/json", "Content-Length: 2", "Expect: 100-continue"];
  const socket = await send(server, `${head(server, line, ...headers)}\r\n\r\n`);
  const [begun] = await once(socket, "data");
  expect(String(begun)).to.contain("100 Continue");
  return socket;
}

async function refusesConnections(server: ServerProcess): Promise<void> {
  for (;;) {
    const refused = await send(server, "").then(
      (socket) => void socket.destroy(),
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (refused === "ECONNREFUSED") return;
  }
}

onEveryDatabase("A server that gets a signal to stop", (startServer, { name }) => {
  const start = untilTestEnds(startServer, "SIGKILL");

  it("accepts no new connections, refuses requests on old ones with 503 and Retry-After, and answers those in progress", async () => {
    const server = await start();
    const begun = await unfinished(server);
    // One write: when the first request is answered, the server has the beginning of the second too.
    const [first, second] = [
      "GET /livez HTTP/1.1\r\nHost: tunnels.example.com\r\n\r\n",
      "GET /ip_policies HTTP/1.1\r\n",
    ];
    const late = await send(server, first + second);
    await once(late, "data");
    const stopped = server.stop();
    await refusesConnections(server);
    late.write(`${head(server, "X-Late: yes")}\r\n\r\n`);
    const answer = await text(late);
    expect(answer)
      .to.match(/^HTTP\/1.1 503 /)
      .and.to.match(/\r\nretry-after: \d+\r\n/i);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).to.include({
      error_code: "TP_1801",
      status_code: 503,
    });
    begun.write("{}");
    expect(await text(begun)).to.match(/^HTTP\/1\.1 400 /); // for its query, once its body is there
    expect(await stopped).to.equal(0);
  });

  it("ends even if the program that reads its log has just exited", async () => {
    for (let turn = 0; turn < 3; turn++) {
      const server = await start();
      server.closeLog();
      expect(await server.stop()).to.equal(0);
    }
  });

  it("does not wait for idle connections", async () => {
    const server = await start({ args: ["--shutdown-limit", "3600"] });
    const idle = await send(server, `${head(server, "GET /ip_policies HTTP/1.1")}\r\n\r\n`);
    await once(idle, "data");
    const silent = await send(server, "");
    expect(await server.stop()).to.equal(0);
    for (const socket of [idle, silent]) socket.destroy();
  });

  it("hangs up on requests that are half sent at half of the limit, logs those whose body is missing, and exits with 0", async () => {
    const server = await start({ args: ["--shutdown-limit", "2"] });
    await unfinished(server);
    await send(server, "GET /livez HTTP/1.1\r\nHo");
    expect(await server.stop()).to.equal(0);
    expect(server.log.match(/"request cut off"/g)).to.have.length(1);
  });

  it("ends at once on a second signal", async () => {
    const server = await start({ args: ["--shutdown-limit", "3600"] });
    await unfinished(server);
    const stopped = server.stop();
    await refusesConnections(server);
    expect(await server.stop("SIGINT")).to.equal(1);
    await stopped;
  });

  it("refuses a limit that is not a number of seconds", async () => {
    expect(await start({ args: ["--shutdown-limit", "soon"] }).catch(String)).to.contain(
      "Expected a whole number from 0 to 3600",
    );
  });

  // Which database a request waits for makes no difference.
  if (name !== "SQLite") return;

  it("cuts off requests that are not answered within the limit, logs them, and exits with 1", async () => {
    const server = await start({ args: ["--shutdown-limit", "1"] });
    const other = new DatabaseSync(join(server.data, "tunnelplane.db"));
    other.exec("begin immediate");
    const body = JSON.stringify({ description: "waits for its turn to write" });
    const line = "POST /ip_policies?dry_run=false HTTP/1.1";
    const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    const waiting = await send(server, `${head(server, line, ...headers)}\r\n\r\n${body}`);
    await fetch(`${server.url}/livez`); // what came before has been read
    expect(await server.stop()).to.equal(1);
    other.close();
    waiting.destroy();
    const lines = server.log.trim().split("\n");
    const [cut, ...others] = lines
      .map((text) => JSON.parse(text))
      .filter(({ msg }) => msg === "request cut off");
    expect(cut)
      .to.include({ method: "POST", path: "/ip_policies", level: 40 })
      .and.to.have.property("operation_id");
    expect(others).to.deep.equal([]);
    expect(server.log).not.to.contain(server.apiKey).and.not.to.contain("dry_run");
  });
});

describe("A server on PostgreSQL that gets a signal to stop", () => {
  it("closes its connections to the database", async () => {
    const postgres = await sharedPostgres();
    const url = await postgres.newDatabase();
    const server = await ServerProcess.start({ data: url });
    const rest = server.rest;
    await Promise.all(Array.from({ length: 20 }, () => rest.get("/ip_policies")));
    const session = await postgres.connect(url);
    const others = async () => {
      const { rows } = await session.query(
        "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'",
      );
      return rows.length;
    };
    expect(await others()).to.be.greaterThan(1);
    await server.stop();
    while ((await others()) > 0); // PostgreSQL notices by itself, a moment later
    await session.end();
  });
});
