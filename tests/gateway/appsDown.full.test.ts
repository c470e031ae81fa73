import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { runningForEachTest } from "./running";
import { tls, Upstream } from "./traffic";

const [WEB, BARE] = ["web.example.com", "bare.example.com"];

describe("Applications behind agents, when they are down", () => {
  const running = runningForEachTest();

  /** A program that counts its connections, and does with each what it is told. */
  async function program(act: (socket: Socket) => void) {
    const counted = { connections: 0, address: "" };
    const server = createServer((socket) => {
      counted.connections++;
      act(socket.on("error", () => undefined));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    server.unref();
    counted.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return counted;
  }

  /** Serves one backend on a route and on a TLS edge. */
  async function serve(backend_id: string) {
    const one = running.now;
    one.runWithAgents();
    const edge = await one.api.httpsEdges.create({ hostports: [`${WEB}:443`] });
    const body = { match_type: "path_prefix" as const, match: "/", backend: { backend_id } };
    await one.api.httpsEdgeRoutes(edge.id).create(body);
    const bare = await one.api.tlsEdges.create({ hostports: [`${BARE}:443`], backend: { backend_id } });
    await one.reported(edge.id);
    await one.reported(bare.id);
  }

  async function group(fields: object = {}) {
    const one = running.now;
    const { id } = await one.api.tunnelGroupBackends.create({ labels: { service: "web" }, ...fields });
    return { id, key: (await one.credential()).key };
  }

  it("a failover goes on to the next backend at once, and back when the application is back", async () => {
    const one = running.now;
    const { id, key } = await group();
    const app = await Upstream.start("app");
    const second = await one.api.staticBackends.create({ address: one.upstream.address });
    const { id: failover } = await one.api.failoverBackends.create({ backends: [id, second.id] });
    await serve(failover);
    one.agent(key, "service=web:443", { local: app.address });
    await one.until(async () => (await one.answers(WEB)) === "app");
    await one.until(async () => (await one.answers(BARE)) === "app");
    const port = app.port;
    await app.stop();
    for (let request = 0; request < 30; request++) expect(await one.answers(WEB)).to.equal("one");
    await one.until(async () => (await one.answers(BARE)) === "one");
    for (let request = 0; request < 30; request++) expect(await one.answers(BARE)).to.equal("one");
    const again = await Upstream.start("back", "127.0.0.1", port);
    await one.until(async () => (await one.answers(WEB)) === "back");
    await one.until(async () => (await one.answers(BARE)) === "back");
    await again.stop();
  });

  it("a connection that is silent, and a WebSocket, end after the group's idle_timeout, and not before", async () => {
    const one = running.now;
    const { id, key } = await group({ idle_timeout: 2 });
    const silent = await program((socket) =>
      socket.once("data", (asked) => {
        if (String(asked).includes("websocket"))
          socket.write(
            "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
          );
      }),
    );
    await serve(id);
    one.agent(key, "service=web:443", { local: silent.address });
    await one.until(async () => (await one.status()).agents.length > 0);
    const open = (sni: string) => tls(one.httpsPort, { sni, ALPNProtocols: ["http/1.1"] });
    const [bare, web] = [await open(BARE), await open(WEB)];
    web.write(`GET / HTTP/1.1\r\nhost: ${WEB}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
    expect(String((await once(web, "data"))[0])).to.contain(" 101 ");
    for (const socket of [bare, web]) {
      await sleep(500);
      expect(socket.closed, "while it may be silent").to.equal(false);
    }
    await Promise.all(
      [bare, web].map((socket) =>
        once(
          socket.resume().on("error", () => undefined),
          "close",
        ),
      ),
    );
  });

  it("an application that nobody uses is asked at most every five seconds whether it is up", async () => {
    const one = running.now;
    const { id, key } = await group();
    const app = await program(() => undefined);
    const second = await one.api.staticBackends.create({ address: one.upstream.address });
    const { id: failover } = await one.api.failoverBackends.create({ backends: [id, second.id] });
    await serve(failover);
    one.agent(key, "service=web:443", { local: app.address });
    await one.until(() => app.connections > 0);
    await sleep(6000);
    expect(app.connections).to.be.within(2, 3);
  });

  it("the next agent gets what one refuses, and requests that one ends without an answer", async () => {
    const one = running.now;
    const { id, key } = await group();
    await serve(id);
    const ending = await program((socket) => socket.destroy());
    one.agent(key, "service=web:443", { local: "127.0.0.1:9" });
    one.agent(key, "service=web:443", { local: ending.address });
    one.agent(key, "service=web:443");
    await one.until(async () => (await one.status()).agents.length === 3);
    const together = Array.from({ length: 40 }, () => one.answers(WEB));
    expect(new Set(await Promise.all(together))).to.deep.equal(new Set(["one"]));
    expect(ending.connections).to.be.greaterThan(0);
    const post = await one.ask(WEB, "/", { method: "POST" });
    expect(post.status).to.equal(200);
    await one.becomes(200, BARE);
  });
});
