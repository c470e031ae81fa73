import { modulesOf, registry } from "@tunnelplane/sdk/contract";
import { unservable, type World } from "@tunnelplane/sdk/meaning";
import { objectsOf, translate } from "../../gateway/dist";
import { ENFORCED } from "../../gateway/dist/envoy/enforced";
import {
  backend as backendOf,
  enabled,
  fixed,
  httpsEdge,
  inbound,
  jwt,
  oidc,
  policy,
  refs,
  route,
  rule,
  SURROUNDINGS,
  tlsEdge,
  to,
} from "./worlds";

type Entry = { readonly kind: string; readonly fields: object };
const web = fixed("bkdsc_web", "10.0.0.7:8080");
const UPGRADE = "is not known to this gateway: upgrade this gateway, or";

/** The edge of a world, which has one, as it would be reported; beside it, whether its names are served. */
function outcomeOf(edge: Entry) {
  const { edges, listeners } = translate(objectsOf([edge, web]), SURROUNDINGS);
  const [listener] = JSON.parse(JSON.stringify(listeners)) as { filter_chains: { name: string }[] }[];
  const names = (listener?.filter_chains ?? []).map(({ name }) => name);
  return {
    ...(edges[0] ?? { state: "", reason: "" }),
    isClosed: names.every((name) => name === "not served"),
  };
}

const closedFor = (edge: Entry, ...parts: string[]) => {
  const { state, reason, isClosed } = outcomeOf(edge);
  expect([state, isClosed]).to.deep.equal(["rejected", true]);
  for (const part of parts) expect(reason).to.contain(part);
  // Previews and decisions say it in the same words.
  if (!reason.includes("cannot read it"))
    expect(unservable(worldOf([edge, web])).map((one) => one.reason)).to.deep.equal([reason]);
};

const worldOf = (entries: readonly Entry[]): World => ({
  objects: entries.map(({ kind, fields }) => ({ kind, id: (fields as { id: string }).id, fields })),
});

describe("A gateway that is older than its server", () => {
  const newer = { geo_fence: enabled({ countries: ["DE"] }) };
  const backend = to("bkdsc_web");
  const tls = (fields: object) => tlsEdge({ backend, ...fields });
  const https = (fields: object, ofRoute: object = {}) =>
    httpsEdge({ ...fields, routes: [route({ backend, ...ofRoute })] });

  it("has an entry for each module of the contract, and for no other", () => {
    const declared = registry.flatMap(({ kind, ...definition }) =>
      modulesOf({ kind, ...definition }).map((name) => `${kind}.${name}`),
    );
    const enforced = Object.entries(ENFORCED).flatMap(([name, kinds]) =>
      Object.keys(kinds).map((kind) => `${kind}.${name}`),
    );
    expect(enforced).to.have.members(declared);
  });

  it("rejects an edge with an enabled module of a newer server: TLS edges, HTTPS edges and routes", () => {
    closedFor(tls(newer), 'the module "geo_fence" of the edge', UPGRADE);
    closedFor(https(newer), 'the module "geo_fence" of the edge', UPGRADE);
    closedFor(https({}, newer), 'the module "geo_fence" of the route "/"', UPGRADE);
    closedFor(https({}, { geo_fence: { enabled: null } }), UPGRADE);
    closedFor(https({}, { constructor: enabled({}) }), 'the module "constructor"', UPGRADE);
  });

  it("rejects an edge with a known module where this gateway does not enforce it", () => {
    const module = { user_agent_filter: enabled({ allow: [], deny: ["bot"] }) };
    closedFor(tls(module), 'the module "user_agent_filter" of the edge', UPGRADE);
    closedFor(https(module), 'the module "user_agent_filter" of the edge', UPGRADE);
    expect(outcomeOf(https({}, module))).to.include({ state: "applied", isClosed: false });
  });

  it("serves an edge whose module of a newer server is disabled or not configured", () => {
    for (const geo_fence of [{ enabled: false, countries: ["DE"] }, null])
      for (const edge of [tls({ geo_fence }), https({ geo_fence }), https({}, { geo_fence })])
        expect(outcomeOf(edge)).to.include({ state: "applied", reason: "", isClosed: false });
  });

  it("rejects an edge with a value that a newer server brought: how a route matches, where TLS ends, what a rule does", () => {
    closedFor(
      https({}, { match_type: "regex" }),
      'the value "regex" of match_type of the route "/"',
      UPGRADE,
    );
    closedFor(
      https({ tls_termination: enabled({ min_version: "1.4" }) }),
      '"1.4" of tls_termination.min_version',
      UPGRADE,
    );
    const atMiddle = enabled({ terminate_at: "middle", min_version: null });
    closedFor(tls({ tls_termination: atMiddle }), '"middle" of tls_termination.terminate_at', UPGRADE);
    const restricted = tls({ ip_restriction: enabled({ ip_policies: refs("ipp_1") }) });
    const strange = { ...rule("ipp_1", "deny", "192.0.2.0/24"), id: "ipr_9" };
    const other = { ...strange, fields: { ...strange.fields, action: "challenge" } };
    const { edges } = translate(
      objectsOf([restricted, web, rule("ipp_1", "allow", "10.0.0.0/8"), other]),
      SURROUNDINGS,
    );
    expect(edges[0]?.state).to.equal("rejected");
    expect(edges[0]?.reason).to.contain('the action "challenge" of the rule').and.to.contain(UPGRADE);
  });

  it("rejects an edge with an action of a newer server, even one that never runs", () => {
    for (const type of ["challenge", "toString"])
      for (const policies of [
        inbound(policy([], [type])),
        inbound(policy(["false"], [type])),
        inbound(policy([], ["deny"], [type])),
        { ...inbound(), outbound: [policy([], [type])] },
      ])
        for (const edge of [tls({ policies }), https({}, { policies })])
          closedFor(edge, `the action "${type}"`, UPGRADE);
    const off = { ...inbound(policy([], ["challenge"])), enabled: false };
    for (const edge of [tls({ policies: off }), https({}, { policies: off })])
      expect(outcomeOf(edge).state).to.equal("applied");
  });
});

describe("An edge whose objects are out of range, or cannot be read at all", () => {
  const limit = (config: object) =>
    inbound(policy([], ["rate-limit", { name: "n", capacity: 10, rate: "60s", ...config }]));
  const both = (policies: object) => [
    tlsEdge({ backend: to("bkdsc_web"), policies }),
    httpsEdge({ routes: [route({ backend: to("bkdsc_web"), policies })] }),
  ];

  it("is rejected with the range, on TLS edges and routes", () => {
    for (const capacity of [0, 1_000_001, 5_000_000_000, 1.5, "10", null])
      for (const edge of both(limit({ capacity }))) closedFor(edge, "the capacity", "use 1 to 1000000");
    for (const rate of ["0s", "86401s", "25h", "1441m", "99999999999999h", "1d", "", "60"])
      for (const edge of both(limit({ rate }))) closedFor(edge, "the rate", "use 1s to 24h");
    for (const config of [
      { capacity: 1, rate: "1s" },
      { capacity: 1_000_000, rate: "24h" },
      { rate: "86400s" },
      { rate: "1440m" },
    ])
      for (const edge of both(limit(config)))
        expect(outcomeOf(edge)).to.include({ state: "applied", reason: "" });
    for (const status_code of [100, 199, 600, 5_000_000_000, 200.5])
      for (const type of ["deny", "custom-response"]) {
        const policies = inbound(policy([], [type, { status_code }]));
        closedFor(
          httpsEdge({ routes: [route({ policies })] }),
          `the status ${status_code}`,
          "use 200 to 599",
        );
      }
  });

  it("is rejected alone: what it lacks is no other edge's fault", () => {
    const broken = httpsEdge({
      id: "edghts_2",
      hostports: ["broken.example.com:443"],
      routes: [route({ policies: enabled({}) })],
    });
    const strange = tlsEdge({
      id: "edgtls_2",
      hostports: ["*x.example.com:443", "db.example.com:443"],
      backend: to("bkdsc_web"),
    });
    const good = httpsEdge({ routes: [route({ backend: to("bkdsc_web") })] });
    const { edges, listeners } = translate(objectsOf([broken, strange, good, web]), SURROUNDINGS);
    const stateOf = (id: string) => edges.find((edge) => edge.id === id);
    expect(stateOf("edghts_1")).to.include({ state: "applied", reason: "" });
    expect(stateOf("edghts_2")?.reason).to.match(
      /^this gateway cannot read it \(.+\): upgrade this gateway, or declare the edge anew$/,
    );
    expect(stateOf("edgtls_2")?.reason).to.equal(
      '"*x.example.com:443" is not served, because it is not a NAME:PORT',
    );
    const text = JSON.stringify(listeners);
    expect(text).to.contain("broken.example.com").and.not.to.contain("*x.example.com");
  });

  it("is rejected with what cannot be read, in an edge or in its backend", () => {
    const cannot = (what: string) =>
      `this gateway cannot read it (${what}): upgrade this gateway, or declare the edge anew`;
    for (const hostports of [null, "app.example.com:443", ["app.example.com:443", null]])
      for (const edge of [tlsEdge({ hostports }), httpsEdge({ hostports })])
        closedFor(edge, cannot("hostports is not a list of texts"));
    for (const routes of [null, {}, [null]])
      closedFor(httpsEdge({ routes }), cannot("routes is not a list of routes"));
    const unread = [jwt({ jws: null }), jwt({ jws: { keys: { sources: { additional_jkus: null } } } })];
    for (const jwt_validation of unread)
      closedFor(httpsEdge({ routes: [route({ jwt_validation })] }), "the additional_jkus of a route");
    closedFor(
      httpsEdge({ routes: [route({ oidc: oidc({ issuer: null }) })] }),
      "the issuer of a route's oidc is not text",
    );
    for (const unreadable of [
      fixed("bkdsc_2", null as never),
      backendOf("tunnel_group", "bkdsc_2", { labels: null }),
    ]) {
      const { edges } = translate(objectsOf([tlsEdge({ backend: to("bkdsc_2") }), unreadable]), SURROUNDINGS);
      expect(edges[0]?.reason).to.match(
        /^this gateway cannot read the backend bkdsc_2 \((address is not text|labels is not an object)\): /,
      );
    }
  });
});
