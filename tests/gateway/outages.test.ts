import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { ServerProcess } from "../support/server";
import { runningForEachTest } from "./running";
import { tls } from "./traffic";

const [APP, SITE] = ["app.example.com", "site.example.com"];

describe("What a gateway serves", () => {
  const running = runningForEachTest();

  it("goes on when the gateway is killed; agents come back to the next one, which takes over the Envoy that runs", async () => {
    const one = running.now;
    one.runWithAgents();
    await one.site(SITE);
    await one.api.tlsEdges.create({ hostports: [`${APP}:443`] });
    const { key } = await one.credential();
    await one.becomes(200, SITE);
    one.agent(key, `${APP}:443`);
    await one.becomes(200, APP);
    await one.gateway.stop("SIGKILL");
    for (let index = 0; index < 5; index++) expect(await one.answers(SITE)).to.equal("one");
    await one.becomes(0, APP);
    one.runWithAgents();
    one.agent(key, `${APP}:443`, { options: RETRYING });
    await one.becomes(200, APP);
    await one.site("later.example.com");
    await one.becomes(200, "later.example.com");
    expect(await one.answers(SITE)).to.equal("one");
  });

  it("is served again from the last state when all were dead and the server stays so", async () => {
    const one = running.now;
    one.run("--dev-ca");
    const { route } = await one.site(SITE);
    await one.becomes(200, SITE);
    const policy = await one.api.ipPolicies.create({});
    await one.site("closed.example.com", { ip_restriction: { ip_policy_ids: [policy.id] } });
    await one.becomes(403, "closed.example.com");
    await one.server.stop("SIGKILL");
    await one.gateway.stop("SIGTERM");
    await one.becomes(0, SITE);
    one.run("--dev-ca");
    await one.becomes(200, SITE);
    await one.becomes(403, "closed.example.com");
    while ((await one.ready()) !== 200) await sleep(20);
    expect(route.id).to.match(/^edghtsrt_/);
  });

  it("follows a database that was restored from yesterday, though the events it knew are gone", async () => {
    const one = running.now;
    const [folder, listen] = [mkdtempSync(join(tmpdir(), "tpg-")), new URL(one.server.url).host];
    try {
      await one.server.stop();
      const [today, yesterday] = [join(folder, "today"), join(folder, "yesterday")];
      one.server = await ServerProcess.start({ data: today, listen });
      const bot = await one.api.botUsers.create({ name: "edge-1", role: "gateway" });
      one.key = (await one.api.apiKeys.create({ owner_id: bot.id })).token ?? "";
      await one.site(SITE);
      await one.server.stop();
      cpSync(today, yesterday, { recursive: true });
      one.server = await ServerProcess.start({ data: today, listen });
      one.run("--dev-ca");
      await one.becomes(200, SITE);
      await one.site("today.example.com");
      await one.becomes(200, "today.example.com");
      await one.server.stop("SIGKILL");
      one.server = await ServerProcess.start({ data: yesterday, listen });
      await one.becomes(0, "today.example.com");
      expect(await one.answers(SITE)).to.equal("one");
      await one.site("again.example.com");
      await one.becomes(200, "again.example.com");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("is what it reports: a change that cannot be handed to Envoy is not called applied, until it is", async () => {
    const one = running.now;
    one.run("--dev-ca");
    const { edge, route } = await one.site(SITE);
    await one.becomes(200, SITE);
    const states = async () =>
      (await one.api.gateways.get("edge-1")).edges.map(({ id, state, reason }) => `${id} ${state} ${reason}`);
    const becomes = async (expected: readonly string[]) => {
      while (String(await states().catch(() => [])) !== String(expected)) await sleep(50);
    };
    await becomes([`${edge.id} applied `]);
    const inTheWay = join(one.state, "envoy", "lds.json.new");
    mkdirSync(inTheWay);
    const policy = await one.api.ipPolicies.create({});
    await one.api
      .httpsEdgeRoutes(edge.id)
      .update(route.id, { ip_restriction: { ip_policy_ids: [policy.id] } });
    await becomes([
      `${edge.id} rejected Envoy did not take the last change; what was declared before is served on`,
    ]);
    expect(await one.answers(SITE)).to.equal("one");
    expect([await one.ready(), await one.live()], "readyz and livez").to.deep.equal([503, 200]);
    rmdirSync(inTheWay);
    await one.becomes(403, SITE);
    await becomes([`${edge.id} applied `]);
    expect([await one.ready(), await one.live()], "readyz and livez").to.deep.equal([200, 200]);
  });

  it("is reported for every edge, however many reasons there are to give", async () => {
    const one = running.now;
    const long = [1, 2, 3].map(() => "x".repeat(60)).join(".");
    const edges: string[] = [];
    for (let index = 0; index < 600; index++) {
      const hostports = [1, 2, 3, 4, 5, 6].map((each) => `e${index}.h${each}.${long}.example.com:443`);
      edges.push((await one.api.httpsEdges.create({ hostports })).id);
    }
    one.run("--certs", one.folder);
    for (let reported = 0; reported < edges.length; await sleep(200))
      reported = (await one.api.gateways.get("edge-1").catch(() => ({ rejected: 0 }))).rejected;
    const reasons = (await one.api.gateways.get("edge-1")).edges.map(({ reason }) => reason);
    expect(reasons[0]).to.match(/^e0\.h1\..+; and 1 more hostports$/);
    expect(reasons.at(-1)).to.equal("the gateway's log says why");
    expect(one.gateway.log).not.to.contain("could not be told");
  });

  it("ends on open connections too, when a change denies them", async () => {
    const one = running.now;
    one.run("--dev-ca");
    const group = await one.api.staticBackends.create({ address: one.upstream.address });
    const edge = await one.api.tlsEdges.create({
      hostports: [`${APP}:443`],
      backend: { backend_id: group.id },
    });
    const { route } = await one.site(SITE);
    await one.becomes(200, SITE);
    await one.becomes(200, APP);
    const open = await Promise.all(
      [APP, SITE].map((sni) => tls(one.httpsPort, { sni, ALPNProtocols: ["http/1.1"] })),
    );
    const closed = open.map((socket) =>
      once(socket.setTimeout(0).removeAllListeners("close").resume(), "close"),
    );
    const policy = await one.api.ipPolicies.create({});
    const ip_restriction = { ip_policy_ids: [policy.id] };
    await one.api.tlsEdges.update(edge.id, { ip_restriction });
    await one.api.httpsEdgeRoutes(route.edge_id).update(route.id, { ip_restriction });
    await Promise.all(closed);
    for (const [sni, status] of [
      [APP, 0],
      [SITE, 403],
    ] as const)
      await one.becomes(status, sni);
  });
});

const RETRYING = [
  "StrictHostKeyChecking=no",
  "UserKnownHostsFile=/dev/null",
  "ConnectionAttempts=30",
  "ConnectTimeout=5",
];
