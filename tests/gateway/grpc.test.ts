import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { createServer as createHttp2, createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { atEndOfFile } from "../support/endOfFile";
import { newFolder } from "../support/folder";
import { callAll, callOnce, GrpcServer, WHOLE } from "./grpcServer";
import { runningForAllTests } from "./running";
import { envoyOfThisFile } from "./traffic";
import { backend, fixed, httpsEdge, inbound, policy, route, tlsEdge, to } from "./worlds";

const [APP, DB] = ["app.example.com", "db.example.com"];
const speaking = (protocol: string, { kind, fields }: { kind: string; fields: object }) => ({
  kind,
  fields: { ...fields, protocol },
});

/** Of a WebSocket's handshake (RFC 6455). */
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

/** An application that says how it was asked, over TLS by either protocol. */
async function bothOverTls(pair: { readonly pem: string; readonly privateKey: string }): Promise<string> {
  const server = createSecureServer({ cert: pair.pem, key: pair.privateKey, allowHTTP1: true });
  server.on("request", (request, response) => {
    response.setHeader("x-version", request.httpVersion);
    response.end();
  });
  server.on("upgrade", (_, socket) =>
    socket.end("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
  );
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  atEndOfFile(() => server.close());
  return `localhost:${(server.address() as AddressInfo).port}`;
}

/** An old application without TLS, which says how it was asked and which trailers it got. */
async function old(): Promise<number> {
  const server = createHttp((request, response) => {
    request.resume().on("end", () => {
      response.setHeader("x-version", request.httpVersion);
      response.setHeader("x-got", JSON.stringify(request.trailers));
      response.setHeader("trailer", "x-end");
      response.write("so far");
      response.addTrailers({ "x-end": "done" });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
}

async function overH2cAlone(): Promise<number> {
  const server = createHttp2((request, response) => {
    response.setHeader("x-version", request.httpVersion);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** The program in Go, built once; undefined where Go is missing. */
const goClient = (): string | undefined => {
  if (spawnSync("go", ["version"]).status !== 0) return undefined;
  const program = join(newFolder(), "client");
  execFileSync("go", ["build", "-o", program, "."], { cwd: join(__dirname, "goGrpc"), stdio: "pipe" });
  return program;
};

/** What clients in TypeScript and in Go get. */
async function calledByAll(port: number, name: string, authority: string, go: string | undefined) {
  const address = `127.0.0.1:${port}`;
  const file = join(newFolder(), "authority.pem");
  writeFileSync(file, authority);
  const byGo = go && JSON.parse((await promisify(execFile)(go, [address, name, file])).stdout);
  return [await callAll(address, name, authority), ...(byGo ? [byGo] : [])];
}

describe("Applications that speak gRPC", () => {
  const gateway = envoyOfThisFile();
  let [plain, secure]: GrpcServer[] = [];
  let go: string | undefined;
  before("start applications, and build the client in Go", async () => {
    go = goClient();
    [plain, secure] = [await GrpcServer.start(), await GrpcServer.start(gateway.state.own)];
  });
  const overTls = () =>
    fixed("secure", (secure as GrpcServer).address.replace("127.0.0.1", "localhost"), true);
  const overH2c = () => fixed("plain", (plain as GrpcServer).address);
  const called = (name: string) => calledByAll(gateway.state.port, name, gateway.state.own.pem, go);
  const isWhole = async (name: string) => {
    for (const all of await called(name)) expect(all).to.deep.equal(WHOLE);
  };

  it("are reached by HTTPS edges without TLS and with it, whole: messages, streams, deadlines, trailers", async () => {
    for (const one of [overH2c(), overTls(), speaking("http2", overH2c())]) {
      await gateway.serve([
        httpsEdge({ routes: [route({ backend: to((one.fields as { id: string }).id) })] }),
        one,
      ]);
      await isWhole(APP);
    }
    expect(plain?.cancelled).to.be.greaterThan(0);
  });

  it("are reached by TLS edges, which agree on HTTP/2 with those who offer it alone", async () => {
    await gateway.serve([tlsEdge({ backend: to("plain") }), speaking("http2", overH2c())]);
    await isWhole(DB);
  });

  it("stand behind a failover, in shares and behind a policy, beside answers for when they are down", async () => {
    const conditional = { policies: inbound(policy(['req.method == "DELETE"'], ["deny"])) };
    await gateway.serve([
      httpsEdge({ routes: [route({ backend: to("first"), ...conditional })] }),
      backend("failover", "first", { backends: ["dead", "shares"] }),
      backend("weighted", "shares", { backends: { plain: 1, again: 1 } }),
      ...[
        fixed("dead", "127.0.0.1:1"),
        overH2c(),
        { ...overH2c(), fields: { ...overH2c().fields, id: "again" } },
      ],
    ]);
    await isWhole(APP);
    const sorry = backend("http_response", "sorry", { status_code: 503, headers: {}, body: "sorry" });
    await gateway.serve([
      httpsEdge({ routes: [route({ backend: to("first") })] }),
      backend("failover", "first", { backends: ["dead", "sorry"] }),
      ...[fixed("dead", "127.0.0.1:1"), sorry],
    ]);
    const { headers } = await gateway.http2("/tests.Echo/Once", {
      method: "POST",
      headers: { "content-type": "application/grpc" },
    });
    expect(headers).to.include({ "grpc-status": "14", "grpc-message": "sorry" });
  });

  it("are rejected in shares of a failover beside others, which could not get the same protocol", async () => {
    const world = (protocol: string) => [
      httpsEdge({ routes: [route({ backend: to("first") })] }),
      backend("failover", "first", { backends: ["dead", "shares"] }),
      backend("weighted", "shares", { backends: { plain: 1, one: 1 } }),
      ...[
        fixed("dead", "127.0.0.1:1"),
        speaking(protocol, overH2c()),
        fixed("one", gateway.state.upstream.address),
      ],
    ];
    const [rejected] = (await gateway.serve(world("http2"))).edges;
    expect(rejected?.reason).to.contain(
      "the backend shares, in a failover backend, has backends whose protocol",
    );
    const [applied] = (await gateway.serve(world("auto"))).edges;
    expect(applied).to.include({ state: "applied", reason: "" });
  });
});

describe("Applications that speak HTTP/1.1, or both", () => {
  const gateway = envoyOfThisFile();
  const version = async (headers: Record<string, string> = {}) =>
    (await gateway.http2("/", { headers, method: "POST" })).headers["x-version"];
  let both: string;
  before("start an application that speaks both over TLS, and an old one without TLS", async () => {
    both = await bothOverTls(gateway.state.own);
  });

  it("get HTTP/1.1 without TLS, but for gRPC, of which grpc-web is none; and over TLS what they choose", async () => {
    await gateway.serve([
      httpsEdge({ routes: [route({ backend: to("old") })] }),
      fixed("old", `127.0.0.1:${await old()}`),
    ]);
    for (const type of ["text/plain", "application/grpc-web", "application/grpc-web+proto"])
      expect(await version({ "content-type": type }), type).to.equal("1.1");
    const newer = fixed("old", `127.0.0.1:${await overH2cAlone()}`);
    await gateway.serve([httpsEdge({ routes: [route({ backend: to("old") })] }), newer]);
    for (const type of ["application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8"])
      expect(await version({ "content-type": type }), type).to.equal("2.0");
    for (const [protocol, spoken] of [
      ["auto", "2.0"],
      ["http2", "2.0"],
      ["http1", "1.1"],
    ] as const) {
      const secure = speaking(protocol, fixed("both", both, true));
      await gateway.serve([httpsEdge({ routes: [route({ backend: to("both") })] }), secure]);
      expect(await version(), protocol).to.equal(spoken);
    }
  });

  it("get WebSockets over HTTP/1.1, also where they would choose HTTP/2 for other requests", async () => {
    await gateway.serve([httpsEdge({ routes: [route({ backend: to("both") })] }), fixed("both", both, true)]);
    const { status } = await gateway.http1("/", {
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": KEY,
      },
    });
    expect(status).to.equal(101);
  });

  it("pass trailers on in both directions, but none that says who the caller is", async () => {
    await gateway.serve([
      httpsEdge({ routes: [route({ backend: to("old") })] }),
      fixed("old", `127.0.0.1:${await old()}`),
    ]);
    const socket = await gateway.tls({ ALPNProtocols: ["http/1.1"] });
    const all = text(socket);
    socket.write(
      `POST / HTTP/1.1\r\nhost: ${APP}\r\nconnection: close\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n` +
        "2\r\nhi\r\n0\r\nx-sum: 7\r\nx-forwarded-for: 192.0.2.1\r\nx-real-ip: 192.0.2.1\r\n\r\n",
    );
    const answer = await all;
    expect(answer)
      .to.match(/\r\nx-got: \{"x-sum":"7"\}\r\n/)
      .and.to.match(/\r\ntrailer: x-end\r\n/);
    expect(answer).to.match(/0\r\nx-end: done\r\n\r\n$/);
  });

  it("are behind TLS edges that agree with callers on what they speak, and with old callers on nothing", async () => {
    const agreed = async (offered: string[]) => {
      const socket = await gateway.tls({ sni: DB, ALPNProtocols: offered });
      socket.destroy();
      return socket.alpnProtocol;
    };
    const offers = [["h2", "http/1.1"], ["http/1.1"], ["h2"], ["mqtt"], []];
    for (const [protocol, agreements] of [
      ["auto", ["http/1.1", "http/1.1", "h2", false, false]],
      ["http2", ["h2", false, "h2", false, false]],
      ["http1", ["http/1.1", "http/1.1", false, false, false]],
    ] as const) {
      const one = speaking(protocol, fixed("one", gateway.state.upstream.address));
      await gateway.serve([tlsEdge({ backend: to("one") }), one]);
      expect(await Promise.all(offers.map(agreed)), protocol).to.deep.equal(agreements);
    }
  });
});

describe("Applications that speak gRPC behind agents", () => {
  const running = runningForAllTests();

  it("are reached by HTTPS and TLS edges through stock ssh -R, by hostport and by labels", async () => {
    const [one, application] = [running.now, await GrpcServer.start()];
    one.runWithAgents();
    const { key } = await one.credential();
    const { id } = await one.api.tunnelGroupBackends.create({ labels: { app: "grpc" }, protocol: "http2" });
    const { id: tls } = await one.api.tlsEdges.create({
      hostports: [`${DB}:443`],
      backend: { backend_id: id },
    });
    const { id: edge } = await one.api.httpsEdges.create({ hostports: [`${APP}:443`] });
    await one.api.httpsEdgeRoutes(edge).create({ match_type: "path_prefix", match: "/" });
    for (const each of [edge, tls]) await one.reported(each, ({ state }) => state === "applied");
    const file = join(one.state, "dev-ca.pem");
    await one.until(() => existsSync(file));
    one.agent(key, `${APP}:443`, { local: application.address });
    one.agent(key, "app=grpc:443", { local: application.address });
    const authority = readFileSync(file, "utf8");
    for (const name of [APP, DB]) {
      await one.until(() =>
        callOnce(`127.0.0.1:${one.httpsPort}`, name, authority).then((code) => code === "Ok"),
      );
      expect((await calledByAll(one.httpsPort, name, authority, undefined))[0]).to.deep.equal(WHOLE);
    }
  });
});
