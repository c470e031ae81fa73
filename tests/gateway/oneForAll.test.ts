import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { OtherServer } from "./otherServer";
import { type Running, runningForEachTest } from "./running";
import { inbound, policy } from "./worlds";

const [FIRST, SECOND] = ["first.example.com", "second.example.com"];

/**
 * Half a character: JSON that Envoy cannot read, wherever in a file it is. The server stores a word in its
 * place.
 */
const UNREADABLE = { stored: "half-a-character", read: "\\ud800" };

describe("The edge of one member", () => {
  const running = runningForEachTest();
  let between: OtherServer;

  beforeEach("start another server in between", async () => {
    between = await OtherServer.start(running.now.server.url);
  });
  afterEach("stop it", () => between?.stop());

  const start = (...args: string[]) => running.now.run("--dev-ca", "--url", between.url, ...args);

  /** An edge with one route that answers by itself, and that has policies. */
  async function answering(host: string, policies: object | null, answer: object = {}): Promise<string> {
    const { api } = running.now;
    const backend = await api.httpResponseBackends.create(answer);
    const edge = await api.httpsEdges.create({ hostports: [`${host}:443`] });
    const body = { match_type: "path_prefix" as const, match: "/", backend: { backend_id: backend.id } };
    await api.httpsEdgeRoutes(edge.id).create({ ...body, ...(policies ? { policies } : {}) });
    return edge.id;
  }

  const limited = (host: string, capacity: number, rate: string) =>
    answering(host, inbound(policy([], ["rate-limit", { name: "n", capacity, rate }])));

  /** Nobody else notices: the first site is narrowed, another one comes, and Envoy starts again with both. */
  async function othersGoOn(
    one: Running,
    route: { readonly id: string; readonly edge_id: string },
  ): Promise<void> {
    await one.site(SECOND);
    await one.becomes(200, SECOND);
    const restriction = await one.api.ipPolicies.create({});
    await one.api
      .httpsEdgeRoutes(route.edge_id)
      .update(route.id, { ip_restriction: { ip_policy_ids: [restriction.id] } });
    await one.becomes(403, FIRST);
    expect([await one.ready(), await one.live()], "readyz and livez").to.deep.equal([200, 200]);
  }

  const rejectedIn = (edges: readonly { readonly id: string; readonly state: string }[]) =>
    edges.filter(({ state }) => state === "rejected").map(({ id }) => id);

  it("is rejected alone for numbers out of range that were stored before, and Envoy starts again with all others", async () => {
    const one = running.now;
    const { route } = await one.site(FIRST);
    const bad = [
      await limited("capacity.example.com", 777, "60s"),
      await limited("rate.example.com", 10, "777s"),
      await answering("status.example.com", null, { status_code: 277 }),
    ];
    for (const [from, to] of [
      ['"capacity":777', '"capacity":5000000000'],
      ['"rate":"777s"', '"rate":"99999999999999h"'],
      ['"status_code":277', '"status_code":5000000000'],
    ] as const)
      between.changes.set(from, to);
    start();
    await one.becomes(200, FIRST);
    const edges = await one.reports((all) => rejectedIn(all).length === bad.length);
    expect(rejectedIn(edges)).to.have.members(bad);
    const reasons = bad.map((id) => edges.find((edge) => edge.id === id)?.reason);
    expect(reasons[0]).to.equal("the capacity 5000000000 of a rate-limit is out of range: use 1 to 1000000");
    expect(reasons[1]).to.equal(
      'the rate "99999999999999h" of a rate-limit is out of range: use 1s to 24h, in s, m or h',
    );
    expect(reasons[2]).to.contain("answers with the status 5000000000").and.to.contain("use 200 to 599");
    await othersGoOn(one, route);
    execFileSync("kill", ["-9", ...childrenOf(one)]);
    await one.gateway.logged("Envoy ended");
    await one.becomes(200, SECOND);
    await one.becomes(403, FIRST);
  });

  it("is rejected alone for a module that only a newer server knows, and is served once that is disabled", async () => {
    const one = running.now;
    const fence = (enabled: boolean) =>
      `"description":"fenced","geo_fence":{"enabled":${enabled},"countries":["DE"]}`;
    between.changes.set('"description":"fenced"', fence(true));
    await one.site(FIRST);
    start();
    await one.becomes(200, FIRST);
    const { edge, route } = await one.site("fenced.example.com", { description: "fenced" });
    const edges = await one.reports((all) => rejectedIn(all).length === 1);
    expect(edges.find(({ id }) => id === edge.id)?.reason).to.equal(
      'the module "geo_fence" of the route "/" is not known to this gateway: upgrade this gateway, or disable the module',
    );
    expect((await one.ask("fenced.example.com")).status).to.equal(0);
    expect(await one.ready()).to.equal(200);
    between.changes.set('"description":"fenced"', fence(false));
    await one.api.httpsEdgeRoutes(edge.id).update(route.id, { metadata: "disabled" });
    await one.becomes(200, "fenced.example.com");
  });

  it("is found and rejected alone when Envoy cannot even read it, with the reason and nothing of others", async () => {
    const one = running.now;
    between.changes.set(UNREADABLE.stored, UNREADABLE.read);
    const { route } = await one.site(FIRST);
    start();
    await one.becomes(200, FIRST);
    const bad = await answering("unreadable.example.com", null, { body: UNREADABLE.stored });
    // The same where an edge is rejected already, because nobody listens for one of its ports.
    const partly = await answering("partly.example.com", null, { body: UNREADABLE.stored });
    await one.api.httpsEdges.update(partly, {
      hostports: ["partly.example.com:443", "partly.example.com:444"],
    });
    const isRefused = ({ reason }: { readonly reason: string }) => reason.startsWith("Envoy refuses it");
    const edges = await one.reports((all) => all.filter(isRefused).length === 2);
    expect(edges.filter(isRefused).map(({ id }) => id)).to.have.members([bad, partly]);
    const { id, reason } = edges.find(({ state }) => state === "rejected") ?? { id: "", reason: "" };
    expect([bad, partly]).to.include(id);
    expect(reason).to.match(/^Envoy refuses it: Unable to parse JSON as proto \(INVALID_ARGUMENT: .*\)$/);
    await othersGoOn(one, route);
    expect(await one.metrics())
      .to.contain("tunnelplane_gateway_edges_rejected 2")
      .and.to.contain("tunnelplane_gateway_taken 1");
    execFileSync("kill", ["-9", ...childrenOf(one)]);
    await one.gateway.logged("Envoy ended");
    await one.becomes(200, SECOND);
    await one.becomes(403, FIRST);
  });

  /** A TLS edge with a backend of its own at a port, as an older server may have stored it. */
  async function sendingTo(host: string, address: string) {
    const { api } = running.now;
    const backend = await api.staticBackends.create({ address });
    const edge = await api.tlsEdges.create({
      hostports: [`${host}:443`],
      backend: { backend_id: backend.id },
    });
    return { backend, edge };
  }
  const PORT = { stored: "127.0.0.77:7777", read: "127.0.0.77:77777" };

  it("is rejected alone for a port for which Envoy takes no cluster of a file, and once it is gone nothing is left out", async () => {
    const one = running.now;
    between.changes.set(PORT.stored, PORT.read);
    await one.site(FIRST);
    const bad = await sendingTo("bad.example.com", PORT.stored);
    start("--allow-upstreams", "127.0.0.0/8");
    await one.becomes(200, FIRST);
    const edges = await one.reports((all) => all.length === 2);
    expect(rejectedIn(edges)).to.deep.equal([bad.edge.id]);
    expect(edges.find(({ id }) => id === bad.edge.id)?.reason).to.match(
      /^Envoy refuses it: of tcp:127\.0\.0\.77:77777 it says: .*65535/,
    );
    await one.becomesReady();
    await one.api.tlsEdges.delete(bad.edge.id);
    await one.api.staticBackends.delete(bad.backend.id);
    await one.reports((all) => all.length === 1 && rejectedIn(all).length === 0);
    await one.gateway.stop();
    const again = await sendingTo("bad.example.com", PORT.stored);
    await sendingTo(SECOND, one.upstream.address.replace("127.0.0.1", "localhost"));
    start("--allow-upstreams", "127.0.0.0/8");
    await one.becomes(200, SECOND);
    await one.becomes(200, FIRST);
    expect(rejectedIn(await one.reports((all) => all.length === 3))).to.deep.equal([again.edge.id]);
  });

  it("is rejected for a hostport that an older edge has, in any case, and the older one is served", async () => {
    const one = running.now;
    for (const [from, to] of [
      ["same.example.com:443", `${FIRST}:443`],
      ["other.example.com:443", `${FIRST.toUpperCase()}:443`],
    ] as const)
      between.changes.set(from, to);
    const { edge, route } = await one.site(FIRST);
    const newer = [
      (await one.site("same.example.com")).edge.id,
      (await sendingTo("other.example.com", one.upstream.address.replace("127.0.0.1", "localhost"))).edge.id,
    ];
    start();
    await one.becomes(200, FIRST);
    const edges = await one.reports((all) => all.length === 3);
    expect(rejectedIn(edges)).to.have.members(newer);
    for (const { id, reason } of edges.filter(({ state }) => state === "rejected"))
      expect(reason, id).to.equal(
        `${FIRST}:443 is not served, because the older edge ${edge.id} has it: take it out of one of them`,
      );
    await othersGoOn(one, route);
  });

  it("is rejected alone when it has no hostports, or a backend no labels", async () => {
    const one = running.now;
    between.changes.set('["none.example.com:443"]', "null");
    between.changes.set('{"read":"not"}', "null");
    const { route } = await one.site(FIRST);
    const group = await one.api.tunnelGroupBackends.create({ labels: { read: "not" } });
    const bad = [
      (
        await one.api.tlsEdges.create({
          hostports: ["bad.example.com:443"],
          backend: { backend_id: group.id },
        })
      ).id,
      (await one.site("none.example.com")).edge.id,
    ];
    one.runWithAgents("--url", between.url);
    await one.becomes(200, FIRST);
    expect(rejectedIn(await one.reports((all) => all.length === 3))).to.have.members(bad);
    await othersGoOn(one, route);
  });

  it("is found by an Envoy beside the gateway too", async () => {
    const one = running.now;
    between.changes.set(UNREADABLE.stored, UNREADABLE.read);
    const { route } = await one.site(FIRST);
    between.changes.set(PORT.stored, PORT.read);
    start("--envoy", "none", "--allow-upstreams", "127.0.0.0/8");
    await one.startBeside();
    await one.becomes(200, FIRST);
    const bad = await answering("unreadable.example.com", null, { body: UNREADABLE.stored });
    const edges = await one.reports((all) => rejectedIn(all).length === 1);
    expect(edges.find(({ id }) => id === bad)?.reason).to.contain("Envoy could not read lds.json");
    const { edge } = await sendingTo("bad.example.com", PORT.stored);
    await othersGoOn(one, route);
    expect(rejectedIn(await one.reports((all) => rejectedIn(all).length === 2))).to.have.members([
      bad,
      edge.id,
    ]);
  });

  it("is not blamed for what is wrong without it, too: all are served once the port that was taken is free", async () => {
    const one = running.now;
    const holder = createServer().listen(one.httpsPort, "127.0.0.1");
    await once(holder, "listening");
    const { edge } = await one.site(FIRST);
    await one.site(SECOND);
    start("--envoy", "none");
    await one.startBeside();
    const edges = await one.reports((all) => rejectedIn(all).length === 2);
    expect(edges.find(({ id }) => id === edge.id)?.reason).to.match(/^Envoy did not take the last change/);
    expect(await one.ready()).to.equal(503);
    holder.close();
    await one.becomes(200, FIRST);
    await one.becomes(200, SECOND);
    await one.becomesReady();
  });

  it("does not keep an Envoy from starting with what it took last, though a gateway died with an unreadable file in place", async () => {
    const one = running.now;
    await one.site(FIRST);
    one.run("--dev-ca");
    await one.becomes(200, FIRST);
    await one.becomesReady();
    await one.server.stop("SIGKILL");
    const envoys = childrenOf(one);
    await one.gateway.stop("SIGKILL");
    execFileSync("kill", ["-9", ...envoys]);
    for (const name of ["cds", "lds"])
      writeFileSync(join(one.state, "envoy", `${name}.json`), '{"resources":[{"capacity":5000000000}]}');
    // So that this gateway knows of no object either.
    rmSync(join(one.state, "objects.json"));
    one.run("--dev-ca");
    await one.becomes(200, FIRST);
    expect([await one.ready(), await one.live()], "readyz and livez").to.deep.equal([503, 200]);
  });

  it("is not called applied by an Envoy that says nothing: after 5 s the files that it took stand in their place again", async () => {
    const one = running.now;
    const elsewhere = mkdtempSync(join(tmpdir(), "tpg-"));
    try {
      start("--envoy", "none");
      await one.startBeside();
      await one.becomesReady();
      const file = join(one.state, "envoy", "lds.json");
      const before = readFileSync(file, "utf8");
      // It looks elsewhere, and no longer sees what the gateway writes.
      writeFileSync(join(elsewhere, "lds.json"), before);
      await one.beside?.stop();
      await one.startBeside((bootstrap) =>
        bootstrap.replaceAll(`${one.state}/envoy/lds.json`, `${elsewhere}/lds.json`),
      );
      const { edge } = await one.site(FIRST);
      const edges = await one.reports((all) => all.length === 1);
      expect(edges[0]).to.include({ id: edge.id, state: "rejected" });
      // A busy machine's Envoy may leave a single question of the gateway unanswered.
      await one.until(async () => (await one.live()) === 200);
      expect(await one.ready()).to.equal(503);
      expect(one.gateway.log).to.contain("Envoy said nothing of lds.json within 5");
      await one.until(() => readFileSync(file, "utf8") === before);
      expect(await one.metrics()).to.contain("tunnelplane_gateway_taken 0");
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });
});

/** The processes that a gateway started. */
const childrenOf = ({ gateway }: Running): string[] =>
  execFileSync("ps", ["-o", "pid=", "--ppid", String(gateway.pid)], { encoding: "utf8" })
    .trim()
    .split(/\s+/);
