import { X509Certificate } from "node:crypto";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { Tunnelplane } from "@tunnelplane/sdk";
import { anotherGateway } from "../gateway/another";
import { runningForEachTest } from "../gateway/running";
import { tls } from "../gateway/traffic";
import { Pebble } from "../support/pebble";
import { ServerProcess } from "../support/server";
import { needsPebble } from "./support";

/** Sends connections to one place after the other, as balancers do. */
async function balancer(ports: readonly number[]): Promise<Server> {
  let turn = 0;
  const server = createServer((socket) => {
    const on = connect({ host: "127.0.0.1", port: ports[turn++ % ports.length] ?? 0 });
    socket.on("error", () => on.destroy());
    on.on("error", () => socket.destroy());
    socket.pipe(on).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

describe("Certificates that gateways prove (tls-alpn-01) and serve", () => {
  const running = runningForEachTest();
  const stops: (() => unknown)[] = [];
  before(function () {
    needsPebble(this);
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  const served = async (port: number, sni: string): Promise<X509Certificate | undefined> => {
    const socket = await tls(port, { sni }).catch(() => undefined);
    const raw = socket?.getPeerCertificate().raw;
    socket?.destroy();
    return raw && new X509Certificate(raw);
  };

  it("come by themselves through two gateways behind a balancer, and both serve them", async () => {
    const one = running.now;
    const ports: number[] = [one.httpsPort];
    const front = await balancer(ports);
    stops.push(() => front.close());
    const pebble = await Pebble.start({ tlsPort: (front.address() as AddressInfo).port });
    await one.use(await ServerProcess.start({ args: pebble.flags }));
    one.run("--certs", one.folder, "--allow-upstreams", "127.0.0.0/8");
    const another = await anotherGateway(one);
    stops.push(another.stop);
    ports.push(another.port);
    await one.site("app.example.com");
    const api = new Tunnelplane({ baseUrl: one.server.url, apiKey: one.server.apiKey });
    stops.push(() => api.close());
    await one.until(async () => {
      const names: string[] = [];
      for await (const { name } of api.gateways.list()) names.push(name);
      return names.length === 2;
    });
    expect(await served(one.httpsPort, "app.example.com"), "no certificate yet").to.equal(undefined);
    const { id } = await api.reservedDomains.create({
      domain: "app.example.com",
      certificate_management_policy: {},
    });
    await one.until(async () => (await api.reservedDomains.get(id)).certificate !== null);
    for (const port of ports)
      await one.until(
        async () => (await served(port, "app.example.com"))?.checkHost("app.example.com") !== undefined,
      );
    expect((await one.ask("app.example.com")).status).to.equal(200);
    expect((await api.reservedDomains.get(id)).acme_tls_alpn).to.equal(null);
  });
});
