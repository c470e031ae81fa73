import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createSocket } from "node:net";
import { promisify } from "node:util";
import { atEndOfFile } from "../support/endOfFile";
import { freePort } from "../support/ports";
import { refusedBeside } from "../support/refusal";
import { envoyOfThisFile } from "./traffic";
import {
  backend,
  enabled,
  fixed,
  httpsEdge,
  inbound,
  policy,
  refs,
  route,
  rule,
  tcpEdge,
  tlsEdge,
  to,
} from "./worlds";

/** An application that says who it is, and gives as many headers as its path says. */
async function application(): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader("server", "theirs/1.0");
    for (let index = 0; index < Number(request.url?.slice(1)); index++) response.setHeader(`x-${index}`, "x");
    response.end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => server.closeAllConnections());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One that takes connections and ends each, or never says a word. */
async function broken(ends: boolean): Promise<string> {
  const server = createSocket((socket) => {
    socket.on("error", () => undefined);
    if (ends) socket.once("data", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("Answers of a gateway", () => {
  const gateway = envoyOfThisFile();
  let app: string;
  before("start an application", async () => {
    app = await application();
  });

  it("name the application's server or none, as the route says, and carry up to 256 headers", async () => {
    const changing = (fields: object) => enabled({ add: {}, remove: [], ...fields });
    await gateway.serve([
      httpsEdge({
        routes: [
          route({ backend: to("app") }),
          route({
            id: "2",
            match: "/1",
            backend: to("app"),
            response_headers: changing({ remove: ["Server"] }),
          }),
          route({
            id: "3",
            match: "/2",
            backend: to("app"),
            response_headers: changing({ add: { server: "ours" } }),
          }),
        ],
      }),
      fixed("app", app),
    ]);
    const said = async (path: string) => (await gateway.http1(path)).headers.server;
    expect([await said("/"), await said("/1"), await said("/2")]).to.deep.equal([
      "theirs/1.0",
      undefined,
      "ours",
    ]);
    expect((await gateway.http1("/256")).headers).to.include({ "x-255": "x" });
    const many = await gateway.http1("/300");
    expect(many.status).to.equal(502);
    expect(many.body).to.match(/^The application behind app\.example\.com/);
  });

  it("say whose fault it is, and when to come again: 429 and 503 of rules, 502 and 503 of applications", async () => {
    const limited = inbound(policy([], ["rate-limit", { name: "n", capacity: 1, rate: "90s" }]));
    const later = inbound(policy([], ["custom-response", { status_code: 503, content: "ours" }]));
    const own = inbound(
      policy([], ["custom-response", { status_code: 503, headers: { "retry-after": "600" } }]),
    );
    await gateway.serve([
      httpsEdge({
        routes: [
          route({ backend: to("app") }),
          route({ id: "2", match: "/limited", backend: to("app"), policies: limited }),
          route({ id: "3", match: "/later", policies: later }),
          route({ id: "4", match: "/own", policies: own }),
          route({ id: "5", match: "/down", backend: to("down") }),
          route({ id: "6", match: "/ends", backend: to("ends") }),
          route({ id: "7", match: "/silent", backend: to("silent") }),
          route({ id: "8", match: "/nowhere", backend: { ...to("app"), enabled: false } }),
        ],
      }),
      ...[fixed("app", app), fixed("down", "127.0.0.1:1"), fixed("ends", await broken(true))],
      backend("static", "silent", { address: await broken(false), tls: { enabled: false }, idle_timeout: 1 }),
    ]);
    const seen = async (path: string) => {
      const { status, headers, body } = await gateway.http1(path);
      return [status, headers["retry-after"], body.trim()];
    };
    await seen("/limited");
    expect((await seen("/limited")).slice(0, 2)).to.deep.equal([429, "90"]);
    expect(await seen("/later")).to.deep.equal([503, "5", "ours"]);
    expect(await seen("/own")).to.deep.equal([503, "600", ""]);
    const behind = "The application behind app.example.com";
    for (const [path, status, again, text] of [
      ["/down", 503, "5", `${behind} takes no connections: it is down, or no agent is connected for it.`],
      [
        "/ends",
        502,
        undefined,
        `${behind} ended the connection before it answered, or does not speak the protocol.`,
      ],
      ["/silent", 504, undefined, `${behind} took too long to answer.`],
      [
        "/nowhere",
        503,
        "5",
        "No application is behind this path: its backend is disabled, or has no weight.",
      ],
    ] as const)
      expect(await seen(path), path).to.deep.equal([status, again, text]);
    await refusedBeside({
      refused: () => gateway.http1("/", { host: "other.example.com" }),
      as: ({ status, body }) => {
        expect(status).to.equal(421);
        expect(body).to.contain("not for the host and port that the request names");
      },
      allowed: () => gateway.http1("/"),
    });
  });

  it("come over IPv4 too where it listens at [::], with the caller's address in one form", async () => {
    const listen = [{ port: 443, address: "::", bindPort: gateway.state.port }];
    const world = (network: string) => [
      httpsEdge({
        routes: [route({ backend: to("app"), ip_restriction: enabled({ ip_policies: refs("p") }) })],
      }),
      ...[fixed("app", app), rule("p", "allow", network)],
    ];
    await gateway.serve(world("127.0.0.0/8"), { listen });
    expect((await gateway.http1("/")).status).to.equal(200);
    const { stdout } = await promisify(execFile)("curl", [
      ...["-sk", "-o", "/dev/null", "-w", "%{http_code}", "--resolve"],
      ...[`app.example.com:${gateway.state.port}:[::1]`, `https://app.example.com:${gateway.state.port}/`],
    ]);
    expect(stdout).to.equal("403");
  });
});

describe("A connection that is silent", () => {
  const gateway = envoyOfThisFile();

  it("ends after its backend's idle_timeout, over TCP and TLS, and not before", async () => {
    const port = await freePort();
    const silent = (idle_timeout: number) =>
      backend("static", "silent", { address: silentAt, tls: { enabled: false }, idle_timeout });
    const silentAt = await broken(false);
    const world = (idle: number) => [
      tcpEdge({ hostports: [`db.example.com:${port}`], backend: to("silent") }),
      tlsEdge({ backend: to("silent") }),
      silent(idle),
    ];
    const tcpListen = [{ port, address: "127.0.0.1", bindPort: port }];
    await gateway.serve(world(1), { tcpListen });
    const ended = (socket: { once(event: "close", done: () => void): unknown; resume(): unknown }) =>
      new Promise<void>((resolve) => {
        socket.resume();
        socket.once("close", resolve);
      });
    await ended(connect({ port, host: "127.0.0.1" }));
    await ended((await gateway.tls({ sni: "db.example.com" })).on("error", () => undefined));
  });
});
