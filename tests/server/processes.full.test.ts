import { once } from "node:events";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { unique } from "../support/api/expect";
import { refusalToServe } from "../support/commandLine";
import { onEveryDatabase, onOneDatabase, untilTestEnds } from "../support/databases";
import { signalled, treeOf } from "../support/processes";
import type { ServerProcess } from "../support/server";

const TWO = ["--processes", "2"];

interface Answered {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is being tested
  readonly body: any;
}

class Line {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly server: ServerProcess) {}

  async ask(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answered> {
    const sent = request(this.server.url + path, {
      method,
      agent: this.#agent,
      headers: {
        ...{ authorization: `Bearer ${this.server.apiKey}`, "service-version": "2" },
        ...{ ...(body && { "content-type": "application/json" }), ...headers },
      },
    });
    sent.end(body && JSON.stringify(body));
    const [answer] = await once(sent, "response");
    const all = await text(answer);
    const isJson = answer.headers["content-type"]?.includes("json") === true && all !== "";
    return { status: answer.statusCode, text: all, body: isJson ? JSON.parse(all) : undefined };
  }

  get = (path: string, headers?: Record<string, string>) => this.ask("GET", path, undefined, headers);
  post = (path: string, body: object, headers?: Record<string, string>) =>
    this.ask("POST", path, body, headers);
  admits = async (token: string) =>
    (await this.get("/ip_policies", { authorization: `Bearer ${token}` })).status;
}

const servingOf = ({ pid }: ServerProcess): number[] => treeOf(pid).slice(1);

async function linesTo(server: ServerProcess): Promise<[Line, Line]> {
  const lines: [Line, Line] = [new Line(server), new Line(server)];
  for (const line of lines) await line.get("/livez");
  return lines;
}

onEveryDatabase("A server of two processes", (startServer) => {
  let server: ServerProcess;
  before(async () => {
    server = await startServer({ args: TWO });
  });

  it("serves one address with both, so that one that hangs holds up only its own connections", async () => {
    const [hanging, ...others] = servingOf(server);
    expect(others).to.have.length(1);
    const lines = await linesTo(server);
    process.kill(hanging as number, "SIGSTOP");
    const asked = lines.map((line) => line.get("/livez"));
    expect((await Promise.race(asked)).status).to.equal(200);
    const late = await Promise.race([Promise.all(asked), sleep(200, "late" as const)]);
    expect(late, "both were answered by one process").to.equal("late");
    process.kill(hanging as number, "SIGCONT");
    expect((await Promise.all(asked)).map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it("refuses a deleted key and obeys a changed role at once, whichever process made the change", async () => {
    const lines = await linesTo(server);
    for (const [one, other] of [lines, lines.toReversed() as typeof lines]) {
      const bot = (await one.post("/bot_users", { name: unique("ci") })).body;
      const { id, token } = (await one.post("/api_keys", { owner_id: bot.id })).body;
      expect([await one.admits(token), await other.admits(token)]).to.deep.equal([200, 200]);
      await one.ask("PATCH", `/bot_users/${bot.id}`, { active: false });
      expect(await other.admits(token)).to.equal(403);
      await one.ask("PATCH", `/bot_users/${bot.id}`, { active: true });
      expect(await other.admits(token)).to.equal(200);
      expect((await one.ask("DELETE", `/api_keys/${id}`)).status).to.equal(204);
      expect(await other.admits(token)).to.equal(401);
    }
  });

  it("replaces a process that ends, and keeps all that was acknowledged", async () => {
    const [first] = servingOf(server);
    const lines = await linesTo(server);
    const made: string[] = [];
    const writing = lines.map(async (line) => {
      for (let count = 0; count < 500; count++) {
        const answer = await line.post("/ip_policies", {}).catch(() => undefined);
        if (answer?.status !== 201) return;
        made.push(answer.body.id);
      }
    });
    await sleep(100);
    process.kill(first as number, "SIGKILL");
    await Promise.all(writing);
    await server.logged("a process has ended; another follows");
    while (servingOf(server).length < 2) await sleep(20);
    const [one] = await linesTo(server);
    expect(made).not.to.deep.equal([]);
    for (const id of made) expect((await one.get(`/ip_policies/${id}`)).status).to.equal(200);
  });
});

onOneDatabase("The processes of a server", (startServer, database) => {
  const start = untilTestEnds(startServer);

  it("end a wait for changes when any of them makes one", async () => {
    const [one, other] = await linesTo(await start({ args: TWO }));
    await one.post("/ip_policies", {});
    const [last] = (await one.get("/events?limit=1")).body.events;
    const waiting = one.get(`/events?after_id=${last.event_id}&wait=20`);
    const { id } = (await other.post("/ip_policies", {})).body;
    expect((await waiting).body.events[0].object.id).to.equal(id);
  });

  it("show when a key was last used at another one", async () => {
    const [one, other] = await linesTo(await start({ args: TWO }));
    const { id, token } = (await one.post("/api_keys", {})).body;
    expect(await one.admits(token)).to.equal(200);
    const lastUse = async () => (await other.get(`/api_keys/${id}`)).body.last_used_at;
    while ((await lastUse()) === null) await sleep(10);
    expect(await lastUse()).to.match(/T\d\d:00:00\.000Z$/);
  });

  it("count the requests of a key together", async () => {
    // One request in a second and ten more in a minute.
    const server = await start({ args: [...TWO, "--rate-limit", "1", "--rate-limit-loopback"] });
    const flood = async (line: Line) => {
      const answers = await Promise.all(Array.from({ length: 60 }, () => line.get("/ip_policies")));
      return answers.filter(({ status }) => status === 200).length;
    };
    const [one, other] = await linesTo(server);
    expect(await flood(one)).to.be.within(11, 59);
    await sleep(500); // they tell each other ten times a second
    expect(await flood(other)).to.be.lessThan(11);
  });

  it("are counted together in the metrics, wherever these are read", async () => {
    const lines = await linesTo(await start({ args: TWO }));
    for (let count = 1; count <= 6; count++) await (lines[count % 2] as Line).get("/ip_policies");
    const counted =
      /tunnelplane_http_request_duration_seconds_count\{method="GET",route="\/ip_policies",status="200"\} (\d+)/;
    for (const line of lines) {
      const { text: metrics } = await line.get("/metrics");
      expect(counted.exec(metrics)?.[1]).to.equal("6");
      expect(metrics).to.match(/tunnelplane_build_info\{[^}]*\} 1\n/);
    }
  });

  it("answer what is in flight at each when the server stops, and none is left", async () => {
    const server = await start({ args: TWO });
    const serving = servingOf(server);
    const lines = await linesTo(server);
    const answers = Promise.all(lines.map((line) => line.post("/ip_policies", {})));
    await sleep(5);
    const code = await server.stop();
    for (const { status } of await answers) expect(status).to.be.oneOf([201, 503]);
    expect(code).to.equal(0);
    expect(serving.filter((pid) => signalled(pid, 0))).to.deep.equal([]);
  });

  it("end by themselves if the first process is killed", async () => {
    const server = await start({ args: TWO });
    const serving = servingOf(server);
    await server.stop("SIGKILL");
    while (serving.some((pid) => signalled(pid, 0))) await sleep(20);
  });

  it("show the admin's key of a first start once", async () => {
    const server = await start({ args: TWO, env: { TUNNELPLANE_BOOTSTRAP_API_KEY: undefined } });
    expect(server.printed.match(/tpk_[\w-]{43}/g)).to.have.length(1);
    expect(server.printed).to.contain("TUNNELPLANE_BASE_URL=http");
  });

  it("say once why they cannot serve", async () => {
    const { url } = await start();
    const listen = new URL(url).host;
    const taken = await start({ listen, args: TWO }).catch(String);
    expect(taken).to.contain("The server ended with 1 before it listened");
    expect(String(taken).match(/another server listens there/g)).to.have.length(1);
    const message = await refusalToServe(await database.create(), { args: ["--processes", "0"] });
    expect(message).to.contain("Expected a whole number from 1 to 64");
  });
});
