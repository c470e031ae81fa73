import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { certificate } from "../support/api/fixtures";
import { type Running, runningForAllTests } from "./running";
import { tls } from "./traffic";

/** How long a stream that may stay is watched: a change ends those that it ends within 5 s. */
const WATCHED_MS = 6000;

describe("An open stream", () => {
  const running = runningForAllTests();
  /** Answers, and never ends the answer. */
  let endless: Server;
  let address = "";
  const [OWN, OTHER, PASSED] = ["own.example.com", "other.example.com", "passed.example.com"];
  let own: Awaited<ReturnType<Running["site"]>>;
  let restricted: object;

  before("serve two sites that stream", async () => {
    endless = createServer((_, response) => response.writeHead(200, { "x-endless": "yes" }).write("begun"));
    await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
    address = `127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const one = running.now;
    const { id } = await one.api.staticBackends.create({ address });
    own = await one.site(OWN, { backend: { backend_id: id } });
    await one.site(OTHER, { backend: { backend_id: id } });
    shows("wildcard", ["*.example.com"]);
    start();
    for (const host of [OWN, OTHER]) await opens(host);
  });
  after("stop the program", () => {
    endless.closeAllConnections();
    endless.close();
  });

  const start = () => running.now.run("--certs", running.now.folder, "--allow-upstreams", "127.0.0.0/8");
  /** Puts a certificate for some names into the folder, of a subject of this name. */
  function shows(name: string, hosts: readonly string[]): void {
    const names = hosts.map((host) => `DNS:${host}`).join();
    const { pem, privateKey } = certificate({ name, extensions: [`subjectAltName = ${names}`] });
    writeFileSync(join(running.now.folder, `${name}.key`), privateKey);
    writeFileSync(join(running.now.folder, `${name}.pem`), pem);
  }
  async function shownTo(sni: string): Promise<string | undefined> {
    const socket = await tls(running.now.httpsPort, { sni });
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  }

  /** A stream that has begun. */
  async function opened(
    sni: string,
  ): Promise<{ readonly socket: TLSSocket; readonly hasEnded: () => boolean }> {
    const socket = await tls(running.now.httpsPort, { sni, ALPNProtocols: ["http/1.1"] });
    let ended = false;
    socket.setTimeout(0).on("close", () => {
      ended = true;
    });
    const begun = new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error(`no stream of ${sni} began`));
      socket.once("close", fail);
      socket.once("data", (chunk) => (String(chunk).includes("x-endless") ? resolve() : fail()));
    });
    socket.resume();
    socket.write(`GET / HTTP/1.1\r\nhost: ${sni}\r\n\r\n`);
    await begun;
    return { socket, hasEnded: () => ended };
  }
  const opens = (host: string) =>
    running.now.until(() =>
      opened(host).then(
        ({ socket }) => !!socket.destroy(),
        () => false,
      ),
    );

  it("goes on while its edge gets a hostport with the same certificate, a route, a wider network, another backend and another certificate, and its neighbours anything", async () => {
    const one = running.now;
    const routes = one.api.httpsEdgeRoutes(own.edge.id);
    const policy = await one.api.ipPolicies.create({});
    await one.api.ipPolicyRules.create({ ip_policy_id: policy.id, cidr: "127.0.0.0/8", action: "allow" });
    restricted = { ip_restriction: { ip_policy_ids: [policy.id] } };
    await routes.update(own.route.id, restricted);
    await one.site("narrowed.example.com");
    await one.becomes(200, "narrowed.example.com");
    const passed = await one.tlsEdge(PASSED, address);
    await opens(PASSED);
    const streams = [await opened(OWN), await opened(OTHER), await opened(PASSED)];
    await one.api.httpsEdges.update(own.edge.id, { hostports: [`${OWN}:443`, "second.example.com:443"] });
    await opens("second.example.com");
    const { id } = await one.api.httpResponseBackends.create({ status_code: 204, body: "" });
    await routes.create({ match_type: "path_prefix", match: "/new", backend: { backend_id: id } });
    await one.becomes(204, OWN, "/new");
    await one.api.ipPolicyRules.create({ ip_policy_id: policy.id, cidr: "10.0.0.0/8", action: "allow" });
    const moved = await one.api.staticBackends.create({ address: one.upstream.address });
    await routes.update(own.route.id, { backend: { backend_id: moved.id } });
    await one.api.tlsEdges.update(passed.edge, { backend: { backend_id: moved.id } });
    for (const host of [OWN, PASSED]) await one.becomes(200, host);
    for (const host of [OWN, PASSED]) shows(host, [host, "second.example.com"]);
    await one.until(async () => (await shownTo(OWN)) === OWN && (await shownTo(PASSED)) === PASSED);
    await one.tlsEdge("added.example.com");
    await one.becomes(200, "added.example.com");
    await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
    expect(streams.map(({ hasEnded }) => hasEnded())).to.deep.equal([false, false, false]);
    for (const { socket } of streams) socket.destroy();
  });

  it("ends where a change refuses it, also one of a time without a gateway, and those of other edges go on", async () => {
    const one = running.now;
    const routes = one.api.httpsEdgeRoutes(own.edge.id);
    const { id } = await one.api.staticBackends.create({ address });
    await routes.update(own.route.id, { backend: { backend_id: id } });
    await opens(OWN);
    const other = await opened(OTHER);
    const nobody = await one.api.ipPolicies.create({});
    for (const isAway of [false, true]) {
      const refused = await opened(OWN);
      if (isAway) await one.gateway.stop("SIGKILL");
      await routes.update(own.route.id, { ip_restriction: { ip_policy_ids: [nobody.id] } });
      if (isAway) start();
      await one.until(refused.hasEnded);
      await one.becomesRefused(403, OWN, "narrowed.example.com");
      await routes.update(own.route.id, restricted);
      await opens(OWN);
    }
    expect(other.hasEnded()).to.equal(false);
    other.socket.destroy();
  });
});
