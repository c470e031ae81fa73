import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sshKey } from "../support/api/fixtures";
import { newFolder } from "../support/folder";
import { MOVABLE_CLOCK, ServerProcess } from "../support/server";
import { ended, narrow, runningForAllTests, runningForEachTest } from "./running";
import { tls } from "./traffic";

const [APP, SITE] = ["app.example.com", "site.example.com"];
const CLOSED = "closed.example.com";
/** Let in by rules that end soon, and in half an hour. */
const [SOON, LATER] = ["soon.example.com", "later.example.com"];
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

describe("Access through a gateway", () => {
  const running = runningForAllTests();
  before("start a gateway", () => void running.now.runWithAgents());

  it("ends on open connections too, when a change denies them", async () => {
    const one = running.now;
    const [host, other] = ["tls.example.com", "https.example.com"];
    const { edge } = await one.tlsEdge(host);
    const { route } = await one.site(other);
    await one.site(SITE);
    await one.becomes(200, SITE);
    await one.becomes(200, host);
    await one.becomes(200, other);
    const open = await Promise.all(
      [host, other].map((sni) => tls(one.httpsPort, { sni, ALPNProtocols: ["http/1.1"] })),
    );
    const closed = open.map((socket) =>
      once(socket.setTimeout(0).removeAllListeners("close").resume(), "close"),
    );
    const policy = await one.api.ipPolicies.create({});
    await one.api.tlsEdges.update(edge, { ip_restriction: { ip_policy_ids: [policy.id] } });
    await narrow(one, route);
    await Promise.all(closed);
    await one.becomes(0, host);
    await one.becomesRefused(403, other, SITE);
  });

  it("is what it reports: a change that cannot be handed to Envoy is not called applied, until it is", async () => {
    const one = running.now;
    const host = "reported.example.com";
    const { edge, route } = await one.site(host);
    await one.becomes(200, host);
    await one.reported(edge.id, ({ state }) => state === "applied");
    execFileSync("kill", ["-STOP", ...one.children]);
    await narrow(one, route);
    expect(await one.reasons([edge.id])).to.deep.equal([
      "Envoy did not take the last change; it goes on serving the configuration before",
    ]);
    expect([await one.ready(), await one.live()], "readyz and livez").to.deep.equal([503, 503]);
    execFileSync("kill", ["-CONT", ...one.children]);
    await one.becomesRefused(403, host, SITE);
    await one.reported(edge.id, ({ state }) => state === "applied");
    expect([await one.ready(), await one.live()], "readyz and livez").to.deep.equal([200, 200]);
  });

  it("is in files that only their owner can read, above all keys", () => {
    const files = (folder: string): string[] =>
      readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
        one.isDirectory() ? files(join(folder, one.name)) : one.isFile() ? [join(folder, one.name)] : [],
      );
    const all = files(running.now.state);
    expect(all).not.to.have.length(0);
    for (const file of all) expect(statSync(file).mode & 0o077, file).to.equal(0);
    expect(all.some((file) => readFileSync(file, "utf8").includes("PRIVATE KEY"))).to.equal(true);
  });

  it("goes on when the gateway is killed; agents come back to the next one, which takes over the Envoy that runs", async () => {
    const one = running.now;
    const { id } = await one.api.tlsEdges.create({ hostports: [`${APP}:443`] });
    const { key } = await one.credential();
    await one.becomes(200, SITE);
    await one.reported(id);
    one.agent(key, `${APP}:443`);
    await one.becomes(200, APP);
    await one.gateway.stop("SIGKILL");
    for (let index = 0; index < 5; index++) expect(await one.answers(SITE)).to.equal("one");
    await one.becomes(0, APP);
    one.runWithAgents();
    // An agent that comes before the next one has read its objects is refused, and comes again.
    let again = one.agent(key, `${APP}:443`);
    await one.until(async () => {
      if (again.exitCode !== null) again = one.agent(key, `${APP}:443`);
      return (await one.ask(APP)).status === 200;
    });
    await one.site("later.example.com");
    await one.becomes(200, "later.example.com");
    expect(await one.answers(SITE)).to.equal("one");
  });
});

describe("While the server is down", () => {
  const running = runningForAllTests();
  /** Agents that may bind, that may not, and that no longer may. */
  const agents = {} as Record<
    "known" | "narrow" | "gone" | "ending",
    Awaited<ReturnType<typeof running.now.credential>>
  >;

  const letIn = async (host: string) => {
    const { api } = running.now;
    const { id } = await api.ipPolicies.create({});
    const rule = await api.ipPolicyRules.create({
      ip_policy_id: id,
      cidr: "0.0.0.0/0",
      action: "allow",
      expires_at: inMs(1_800_000),
    });
    await running.now.site(host, { ip_restriction: { ip_policy_ids: [id] } });
    return rule;
  };

  it("a gateway that followed it serves on, until what it serves ends", async () => {
    const one = running.now;
    one.env = MOVABLE_CLOCK;
    await one.useOwnServer();
    await one.api.tlsEdges.create({ hostports: [`${APP}:443`] });
    const { edge } = await one.site(SITE);
    one.runWithAgents();
    await one.becomes(200, SITE);
    await one.becomesReady();
    const { route } = await one.site(CLOSED);
    await one.becomes(200, CLOSED);
    await narrow(one, route);
    await one.becomesRefused(403, CLOSED, SITE);
    const soon = await letIn(SOON);
    await letIn(LATER);
    await one.becomes(200, SOON);
    await one.becomes(200, LATER);
    await one.until(async () => (await one.status()).applied === 5);
    const { version, envoy_version, sequence, edges, ports } = await one.status();
    expect(ports).to.deep.equal([443]);
    expect([version, envoy_version]).to.deep.equal(["0.1.0", "1.40.0"]);
    expect(edges).to.deep.include({ id: edge.id, state: "applied", reason: "" });
    expect(sequence).to.be.greaterThan(0);
    agents.known = await one.credential();
    agents.narrow = await one.credential(["bind:other.example.com"]);
    agents.gone = await one.credential();
    one.agent(agents.known.key, `${APP}:443`);
    await one.becomes(200, APP);
    await ended(one.agent(agents.narrow.key, `${APP}:443`));
    const leaving = one.agent(agents.gone.key, `${APP}:443`);
    await one.gateway.logged(`"credential":"${agents.gone.id}","msg":"agent bound"`);
    await one.api.sshCredentials.delete(agents.gone.id);
    await ended(leaving);
    agents.ending = await one.credential();
    const staying = one.agent(agents.ending.key, `${APP}:443`);
    await one.gateway.logged(`"credential":"${agents.ending.id}","msg":"agent bound"`);
    const end = { expires_at: inMs(5000) };
    await one.api.ipPolicyRules.update(soon.id, end);
    await one.api.sshCredentials.update(agents.ending.id, end);
    const [last] = await one.api.events.after((await one.api.events.newest(2))[1]?.event_id, 0);
    await one.until(async () => ((await one.status()).sequence ?? 0) >= (last?.sequence ?? 0));
    await one.server.stop("SIGKILL");
    await one.gateway.logged("could not be read");
    await ended(staying);
    await one.gateway.logged(`the credential ${agents.ending.id} ended at `);
    await one.becomes(403, SOON);
    expect(await one.answers(APP)).to.equal("one");
    await one.becomes(200, SITE);
    await one.becomes(200, LATER);
  });

  it("all is served again from the last state, when the gateway and Envoy were dead too", async () => {
    const one = running.now;
    await one.gateway.stop("SIGTERM");
    await one.becomes(0, SITE);
    one.runWithAgents();
    await one.gateway.logged("serving the objects that the server had when it was last read");
    await one.becomes(200, SITE);
    for (const closed of [CLOSED, SOON]) await one.becomesRefused(403, closed, SITE);
    await one.becomes(200, LATER);
    await one.becomesReady();
    expect(await one.metrics()).to.contain("tunnelplane_gateway_edges_applied 5");
  });

  it("agents come back that it allowed a short time ago; others are refused", async () => {
    const one = running.now;
    for (const { key } of [agents.narrow, agents.gone, agents.ending, { key: sshKey() }])
      expect(await ended(one.agent(key, `${APP}:443`))).to.equal(255);
    expect(one.gateway.log).not.to.contain("agent bound");
    one.agent(agents.known.key, `${APP}:443`);
    await one.becomes(200, APP);
  });

  it("what it last read ends by the gateway's clock, and comes back where that had gone ahead", async () => {
    const one = running.now;
    one.gateway.signal("SIGUSR2");
    await one.becomesRefused(403, LATER, SITE);
    one.gateway.signal("SIGWINCH");
    await one.becomes(200, LATER);
  });
});

describe("A gateway", () => {
  const running = runningForEachTest();

  it("follows a database that was restored from yesterday, though the events it knew are gone", async () => {
    const one = running.now;
    const folder = newFolder();
    const [today, yesterday] = [join(folder, "today"), join(folder, "yesterday")];
    await one.use(await ServerProcess.start({ data: today }));
    const listen = new URL(one.server.url).host;
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
  });
});
