import { decisions, findingsOf, UNKNOWN, type WorldObject } from "@tunnelplane/sdk/meaning";
import {
  agent,
  declared,
  edge,
  expectNothing,
  exposureAt,
  onlyFinding,
  ref,
  rulesOf,
  site,
  world,
} from "./worlds";

const blue = declared("tunnel_group_backend", "blue", { labels: { color: "blue" } });
const green = declared("tunnel_group_backend", "green", { labels: { color: "green" } });
const to = (kind: string, name: string, more = {}) => ({ backend: { backend_id: ref(kind, name), ...more } });
const weighted = (weights: Record<string, number>): WorldObject =>
  declared("weighted_backend", "both", {
    backends: Object.fromEntries(
      Object.entries(weights).map(([name, weight]) => [ref("tunnel_group_backend", name), weight]),
    ),
  });
const failover = (...names: string[]): WorldObject =>
  declared("failover_backend", "chain", { backends: names.map((name) => ref("tunnel_group_backend", name)) });
const balanced = (weights: Record<string, number>) =>
  world(agent, blue, green, edge(to("weighted_backend", "both")), weighted(weights));

const policies = (...inbound: unknown[]) => ({ policies: { inbound, outbound: [] } });
const deny = (...expressions: string[]) => ({
  name: "no",
  expressions,
  actions: [{ type: "deny", config: { status_code: 403 } }],
});
const limit = {
  name: "slow",
  expressions: [],
  actions: [{ type: "rate-limit", config: { name: "all", capacity: 10, rate: "60s" } }],
};

describe("A change of traffic", () => {
  it("is not reported for weights in the same proportion, or for an equivalent backend", () => {
    expectNothing(balanced({ blue: 1, green: 1 }), balanced({ green: 500, blue: 500 }));
    expectNothing(
      world(agent, blue, edge(to("tunnel_group_backend", "blue")), edge2("blue")),
      world(agent, blue, edge(to("failover_backend", "chain")), failover("blue"), edge2("blue")),
    );
  });

  /** Keeps a backend in use. */
  const edge2 = (name: string) =>
    declared("tls_edge", "second", {
      hostports: ["second.example.com:443"],
      ...to("tunnel_group_backend", name),
    });

  it("is reported if nothing is left to answer an address", () => {
    const before = world(agent, blue, edge(to("tunnel_group_backend", "blue")));
    const disabled = onlyFinding(
      before,
      world(agent, blue, edge(to("tunnel_group_backend", "blue", { enabled: false }))),
    );
    expect(disabled).to.include({ rule: "traffic-stopped", severity: "high" });
    expect(disabled.cause.property).to.equal("backend.enabled");
    expect(rulesOf(balanced({ blue: 1, green: 1 }), balanced({ blue: 0, green: 0 }))).to.deep.equal([
      "traffic-stopped",
    ]);
    expect(rulesOf(world(agent, edge()), world(edge()))).to.deep.equal([
      "traffic-stopped",
      "credential-revoked",
    ]);
    const elsewhere = declared("tunnel_credential", "agent", { acl: ["bind:other.example.com"] });
    expect(rulesOf(world(agent, edge()), world(elsewhere, edge()))).to.deep.equal([
      "traffic-stopped",
      "credential-narrowed",
    ]);
    const narrower = declared("tunnel_credential", "agent", { acl: ["bind:*.example.com"] });
    expect(rulesOf(world(agent, edge()), world(narrower, edge()))).to.deep.equal(["credential-narrowed"]);
    expect(rulesOf(world(site()), world(site({ backend: null })))).to.deep.equal([
      "traffic-stopped",
      "unused",
    ]);
    expect(rulesOf(world(edge()), world(edge(), agent))).to.deep.equal(["credential-widened"]);
    expectNothing(world(edge()), world(edge(), narrower));
  });

  it("is reported if the order of a failover changes", () => {
    const chain = (...names: string[]) =>
      world(agent, blue, green, edge(to("failover_backend", "chain")), failover(...names));
    expect(rulesOf(chain("blue", "green"), chain("green", "blue"))).to.deep.equal(["traffic-moved"]);
    expectNothing(chain("blue", "green"), chain("blue", "green"));
  });

  it("is high where what always answers comes before others in a failover, and says what gets nothing; names the field that changed", () => {
    const ok = declared("http_response_backend", "ok", { status_code: 200 });
    const chain = (...backends: WorldObject[]) =>
      world(
        agent,
        blue,
        ok,
        site(to("failover_backend", "chain")).slice(0, 2),
        declared("failover_backend", "chain", { backends: backends.map(({ urn }) => urn) }),
      );
    const found = onlyFinding(chain(blue, ok), chain(ok, blue));
    expect(found).to.include({
      rule: "traffic-stopped",
      severity: "high",
      sentence:
        "`www.example.com:443/` sends nothing to `blue` any more, because what comes first always answers: `ok` (HTTP 200) (before: `blue`, else `ok` (HTTP 200)).",
    });
    expect(found.example?.sentence).to.match(/^`GET \/` from .*: answered → 200$/);
    expect(rulesOf(chain(ok, blue), chain(blue, ok))).to.deep.equal(["traffic-moved"]);
    expect(rulesOf(chain(ok, blue), chain(ok))).to.deep.equal(["unused"]);
    const says = (body: string) =>
      world(
        site(to("http_response_backend", "says")).slice(0, 2),
        declared("http_response_backend", "says", { status_code: 200, body }),
      );
    expect(onlyFinding(says("yes"), says("no")).cause.property).to.equal("body");
  });

  it("to backends that are not known yet goes nowhere else, and nobody is let in to nothing", () => {
    const of = (backends: unknown) =>
      world(edge(to("failover_backend", "chain")), declared("failover_backend", "chain", { backends }));
    for (const backends of [UNKNOWN, [UNKNOWN, UNKNOWN]]) {
      const row = exposureAt(of(backends));
      expect([row.goes_to.kind, row.unknown]).to.deep.equal(["unknown", ["goes_to"]]);
      const request = { address: "app.example.com:443", from: "198.51.100.7" };
      expect(decisions(of(backends)).decide(request).outcome).to.equal("answered");
    }
    expect(exposureAt(of([ref("tunnel_group_backend", "blue")])).goes_to.kind).to.equal("failover");
  });

  it("is reported for circles and missing backends, without an endless loop", () => {
    const round = [
      declared("failover_backend", "a", { backends: [ref("failover_backend", "b")] }),
      declared("failover_backend", "b", { backends: [ref("failover_backend", "a")] }),
      declared("failover_backend", "self", { backends: [ref("failover_backend", "self")] }),
    ];
    for (const name of ["a", "self"]) {
      const row = exposureAt(world(agent, edge(to("failover_backend", name)), round));
      expect(row.goes_to).to.deep.equal({ kind: "cycle", name });
      expect(row.notes.join()).to.contain("circle");
    }
    const dangling = exposureAt(world(agent, edge({ backend: { backend_id: "bkdtg_none" } })));
    expect(dangling.goes_to).to.deep.equal({ kind: "missing", name: "bkdtg_none" });
    expect(dangling.notes.join()).to.contain("does not exist");
  });

  it("is found just as fast if backends share others many times", () => {
    const levels = 60;
    const tower = Array.from({ length: levels }, (_, level) =>
      declared("failover_backend", `level${level}`, {
        backends:
          level + 1 === levels
            ? [ref("tunnel_group_backend", "blue")]
            : [level + 1, level + 1].map((next) => ref("failover_backend", `level${next}`)),
      }),
    );
    expect(
      exposureAt(world(agent, blue, tower, edge(to("failover_backend", "level0")))).goes_to.kind,
    ).to.equal("failover");
  });

  it("has different findings for dropped deny actions and other changes of actions", () => {
    const acting = (...inbound: unknown[]) => world(agent, edge(policies(...inbound)));
    const dropped = onlyFinding(acting(deny(), limit), acting(limit));
    expect(dropped).to.include({ rule: "deny-dropped", severity: "high" });
    expect(rulesOf(acting(deny()), acting(deny('req.path == "/admin"')))).to.deep.equal([
      "deny-dropped",
      "actions-changed",
    ]);
    expect(rulesOf(acting(limit), acting(limit, deny()))).to.deep.equal(["actions-changed"]);
    expectNothing(acting(limit, deny()), acting(limit, { ...deny(), name: "another name" }));
    const fast = {
      ...limit,
      actions: [{ type: "rate-limit", config: { name: "all", capacity: 99, rate: "60s" } }],
    };
    const [slowly, fastly] = [10, 99].map(
      (n) => `\`rate-limit (name all, capacity ${n}, rate 60s) inbound\``,
    );
    const changes: [unknown[], unknown[], string][] = [
      [
        [limit, deny()],
        [deny(), limit],
        `in another order: \`deny (status_code 403) inbound\`, then ${slowly}`,
      ],
      [[limit], [fast], `${fastly}; no longer ${slowly}.`],
      [[deny(), limit], [fast, deny()], `${fastly}; no longer ${slowly}; in another order.`],
      [[limit], [limit, limit], `${slowly}.`],
    ];
    for (const [was, is, words] of changes) {
      const found = onlyFinding(acting(...was), acting(...is));
      expect(found.rule).to.equal("actions-changed");
      expect(found.sentence).to.include(`now does something else with requests: ${words}`);
    }
    expect(exposureAt(acting(deny('req.path == "/admin"'))).actions[0]).to.include({
      type: "deny",
      conditional: true,
      direction: "inbound",
    });
  });

  it("is uncertain if weights are not known yet", () => {
    const later = declared("weighted_backend", "both", { backends: UNKNOWN });
    const found = findingsOf(
      balanced({ blue: 1, green: 1 }),
      world(agent, blue, green, edge(to("weighted_backend", "both")), later),
    );
    expect(found.map(({ rule }) => rule)).to.deep.equal(["traffic-moved", "unused", "unused"]);
    expect(found.map(({ certain }) => certain)).to.deep.equal([false, false, false]);
  });
});
