import {
  compareAccess,
  type Finding,
  findingsOf,
  type World,
  type WorldObject,
} from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import fc from "fast-check";
import { figure, LIMIT_MS, size } from "../../support/size";
import { change } from "./generatedWorlds";
import {
  agent,
  authority,
  declared,
  edge,
  inbound,
  mutual,
  policy,
  ref,
  restricted,
  route,
  rulesOf,
  SITE,
  serving,
  site,
  tokensOf,
  world,
} from "./worlds";

const token = { jwt_validation: tokensOf("https://issuer.test/", "https://issuer.test/keys") };

/** Findings of access in short: rule, severity, address. */
const inShort = (before: World, after: World): string[] =>
  findingsOf(before, after).map(({ rule, severity, address }) => `${rule} ${severity} ${address}`);

function sentenceOf(before: World, after: World, rule: string): string | undefined {
  return findingsOf(before, after).find((finding) => finding.rule === rule)?.sentence;
}

describe("a finding about requests", function () {
  this.timeout(LIMIT_MS);

  it("calls a swap of two policies high where it lets in what was denied", () => {
    const deny: [string[], string] = [['req.path.startsWith("/internal")'], "deny"];
    const answer: [string[], string, object] = [
      [],
      "custom-response",
      { status_code: 200, content: "hello" },
    ];
    const [strict, loose] = [world(site(inbound(deny, answer))), world(site(inbound(answer, deny)))];
    const [finding] = findingsOf(strict, loose);
    expect(finding).to.include({ rule: "actions-changed", severity: "high", proved: true });
    expect(finding?.example?.request).to.include({ path: "/internal" });
    expect([finding?.example?.before.status, finding?.example?.after.status]).to.eql([403, 200]);
    expect(inShort(loose, strict)).to.eql([`actions-changed medium ${SITE}/`]);
    expect(inShort(world(site(inbound(deny))), world(site(inbound(answer, deny))))).to.eql([
      `actions-changed high ${SITE}/`,
    ]);
  });

  it("names the route that takes the paths of one that is deleted, renamed or made exact", () => {
    const before = world(site(), route("/admin", token));
    expect(sentenceOf(before, world(site()), "opened")).to.equal(
      `\`${SITE}/admin\` is now served by the route \`/\`, which asks for no token.`,
    );
    expect(inShort(before, world(site()))).to.eql([`opened high ${SITE}/`]);
    for (const after of [
      world(site(), route("/manage", token)),
      world(site(), route("/admin", token, "exact_path")),
    ])
      expect(inShort(before, after)).to.include(`opened high ${SITE}/`);
    const exact = world(site(), route("/admin", token, "exact_path"));
    expect(sentenceOf(exact, world(site()), "opened")).to.equal(
      `\`${SITE} = /admin\` is now served by the route \`/\`, which asks for no token.`,
    );
    expect(sentenceOf(before, world(site(), route("/admin", token, "exact_path")), "opened")).to.equal(
      `\`${SITE}/admin\` is now served by the route \`/\`, which asks for no token, but for what \`${SITE} = /admin\` takes.`,
    );
    // Where nothing takes the requests, they end.
    const alone = world(site({ match: "/admin", ...token }));
    expect(rulesOf(alone, world(site({ match: "/other", ...token })))).to.include("address-removed");
  });

  it("names the wildcard that takes the name of a hostport that is deleted", () => {
    const strict = serving("strict", "a.w.test:443", mutual("ca"));
    const others = [
      agent,
      authority("ca"),
      serving("open", "*.w.test:443"),
      serving("x", "x:443", mutual("ca")),
    ];
    const [before, after] = [world(strict, others), world(others)];
    expect(inShort(before, after)).to.eql(["opened high *.w.test:443"]);
    expect(sentenceOf(before, after, "opened")).to.equal(
      "`a.w.test:443` is now served by `*.w.test:443`, which asks for no client certificate.",
    );
  });

  it("says what a new route or hostport takes from a stricter one, or keeps from callers", () => {
    expect(inShort(world(site(token)), world(site(token), route("/api")))).to.eql([
      `opened high ${SITE}/api`,
    ]);
    expect(sentenceOf(world(site(token)), world(site(token), route("/api")), "opened")).to.equal(
      `\`${SITE}/api\` takes requests that the route \`/\` served before, and asks for no token.`,
    );
    const strict = [agent, authority("ca"), serving("strict", "*.w.test:443", mutual("ca"))];
    expect(inShort(world(strict), world(strict, serving("fresh", "a.w.test:443")))).to.eql([
      "opened high a.w.test:443",
    ]);
    const open = [
      agent,
      authority("ca"),
      serving("open", "*.w.test:443"),
      serving("x", "x:443", mutual("ca")),
    ];
    const fresh = serving("fresh", "a.w.test:443", mutual("ca"));
    expect(inShort(world(open), world(open, fresh))).to.eql(["callers-refused medium a.w.test:443"]);
    expect(sentenceOf(world(open), world(open, fresh), "callers-refused")).to.equal(
      "`a.w.test:443` takes requests that `*.w.test:443` served before, and asks for a client certificate.",
    );
  });

  it("says that an edge stops whole where a gateway cannot enforce a part of it, and where nobody listens", () => {
    const before = world(site(), route("/b"));
    const cookie = route("/b", inbound([['req.cookies["a"] == "b"'], "deny"]));
    const stopped = [`traffic-stopped high ${SITE}/`, `traffic-stopped high ${SITE}/b`];
    expect(inShort(before, world(site(), cookie))).to.include.members(stopped);
    const inBody = { http: { tokens: [{ type: "jwt", method: "body", name: "token", prefix: "" }] } };
    const body = route("/b", { jwt_validation: { ...token.jwt_validation, ...inBody } });
    expect(inShort(before, world(site(), body))).to.include.members(stopped);
    expect(sentenceOf(before, world(site(), body), "traffic-stopped")).to.match(
      /^`www.example.com:443\/` no longer has anything to answer it: no gateway can serve the edge: .*body/,
    );
    expect(
      findingsOf(before, world(site(), body)).find(({ rule }) => rule === "traffic-stopped")?.cause,
    ).to.include({
      name: "path_prefix /b",
      property: "jwt_validation",
    });
    const ok = declared("http_response_backend", "ok", { status_code: 200 });
    const answer = edge({ backend: { backend_id: ref("http_response_backend", "ok") } });
    expect(inShort(world(edge(), agent, ok), world(answer, agent, ok))).to.include(
      "traffic-stopped high app.example.com:443",
    );
    expect(inShort(world(site()), { ...world(site()), ports: [8443] })).to.eql([
      `traffic-stopped high ${SITE}/`,
    ]);
    // A new address that is closed is not open to anybody.
    expect(inShort(world(agent, ok), world(answer, agent, ok))).to.eql([
      "address-added low app.example.com:443",
    ]);
    expect(inShort(world(agent), { ...world(agent, edge()), ports: [8443] })).to.eql([
      "address-added low app.example.com:443",
    ]);
  });

  it("does not say of a denial that it is gone where nothing opens, such as one that becomes wider", () => {
    const denying = (path: string) => world(site(inbound([[`req.path.startsWith("${path}")`], "deny"])));
    expect(inShort(denying("/internal"), denying("/int"))).to.eql([`actions-changed medium ${SITE}/`]);
    expect(inShort(denying("/int"), denying("/internal"))).to.include(`deny-dropped high ${SITE}/`);
  });

  it("does not say that anybody is let in at an edge that no gateway can serve any more", () => {
    const upstream = { tls_termination: { terminate_at: "upstream" } };
    const partners = [agent, authority("partners")];
    const before = world(partners, edge(mutual("partners")));
    expect(rulesOf(before, world(partners, edge({ ...mutual("partners"), ...upstream })))).to.have.members([
      "termination-moved",
      "traffic-stopped",
    ]);
    expect(rulesOf(before, world(partners, edge(upstream)))).to.include("client-certificate-dropped");
    expect(
      rulesOf(world(site(token)), world(site({ ...inbound([["size(req.path) > 3"], "deny"]) }))),
    ).not.to.include("token-dropped");
  });

  it("says that traffic stops where no credential may bind any tunnel group that it goes to", () => {
    const group = declared("tunnel_group_backend", "web", { labels: { service: "web" } });
    const to = edge({ backend: { backend_id: ref("tunnel_group_backend", "web") } });
    const found = findingsOf(world(agent, group, to), world(group, to));
    expect(found.map(({ rule }) => rule)).to.eql(["traffic-stopped", "credential-revoked"]);
    expect(found[0]?.cause).to.include({ kind: "tunnel_credential", name: "agent" });
  });

  it("calls a network high that admits 2^16 times as many addresses, or is shorter than /8 or /16", () => {
    const from = (...rules: string[]) => world(agent, edge(restricted("office")), policy("office", ...rules));
    const severityOf = (was: string[], is: string[]) =>
      findingsOf(from(...was), from(...is)).map(({ rule, severity }) => `${rule} ${severity}`)[0];
    for (const [was, is, expected] of [
      [["allow 10.0.0.0/8"], ["allow 0.0.0.0/1"], "high"],
      [["allow 10.0.0.0/8"], ["allow 8.0.0.0/7"], "high"],
      [["allow 10.0.0.0/8"], ["allow 10.0.0.0/8", "allow 11.0.0.0/8"], "high"],
      [["allow 10.0.0.0/8"], ["allow 10.0.0.0/8", "allow 12.0.0.0/8"], "medium"],
      [["allow 10.0.0.0/8"], ["allow 10.0.0.0/8", "allow 192.168.0.0/16"], "medium"],
      [["allow 10.0.0.1/32"], ["allow 10.0.0.0/16"], "high"],
      [["allow 10.0.0.1/32"], ["allow 10.0.0.0/17"], "medium"],
      [["allow 2001:db8::/32"], ["allow 2000::/15"], "high"],
      [["allow 2001:db8::/32"], ["allow 2001::/16"], "high"],
      [["allow 2001:db8::/32"], ["allow 2001:d00::/24"], "medium"],
    ] as const)
      expect(severityOf([...was], [...is]), `${was} → ${is}`).to.equal(`network-widened ${expected}`);
  });

  it("leaves what opens by the version of TLS or the user agent alone at medium", () => {
    const tls = (min_version: string) => world(agent, edge({ tls_termination: { min_version } }));
    expect(inShort(tls("1.3"), tls("1.2"))).to.eql(["tls-lowered medium app.example.com:443"]);
    const agents = (...allow: string[]) => world(site({ user_agent_filter: { allow, deny: [] } }));
    expect(inShort(agents("^curl"), agents("^curl", "^Wget"))).to.eql([
      `user-agents-changed medium ${SITE}/`,
    ]);
  });

  it("carries a request that shows it, decided in both worlds", () => {
    const [finding] = findingsOf(world(site(token)), world(site()));
    expect(finding).to.include({ rule: "token-dropped", proved: true });
    expect(finding?.example?.before).to.include({ outcome: "refused", status: 401 });
    expect(finding?.example?.after).to.include({ outcome: "answered", status: 200 });
    expect(finding?.example?.request).to.include({ address: SITE, method: "GET", path: "/" });
    const partial = (objects: WorldObject[]): World => ({ objects, partial: true });
    const [unsure] = findingsOf(partial([]), partial([agent, edge()]));
    expect(unsure).to.include({ rule: "opened-unprotected", proved: false });
  });

  it("says in one line what a change opens", () => {
    const said = (before: World, after: World) => compareAccess(before, after).sentence;
    expect(said(world(site()), world(site(token)))).to.match(
      /^Opens nothing \(proved over \d+ combinations at 1 address\)\.$/,
    );
    expect(said(world(agent), world(agent, edge(), serving("b", "b.test:443")))).to.equal(
      "Opens 2 new addresses, and nothing that was closed.",
    );
    expect(said(world(site(), route("/admin", token)), world(site()))).to.equal(
      "Opens: `GET /admin` from 198.51.100.7 without a token: 401 → 200.",
    );
    const claiming = (...accepted: string[]) =>
      world(site({ jwt_validation: { ...token.jwt_validation, require_claims: { team: accepted } } }));
    expect(said(claiming("a"), claiming("a", "b"))).to.equal(
      "Opens: `GET /` from 198.51.100.7 with a token of `https://issuer.test/`: 403 → 200.",
    );
    const denied = inbound([['req.headers["x-team"] != "a"'], "deny"]);
    expect(said(world(site(denied)), world(site()))).to.equal("Opens: `GET /` from 198.51.100.7: 403 → 200.");
  });

  it("covers all that opens with a finding of its address, which is high where everybody may", () => {
    const seen = { opened: 0, everyone: 0 };
    fc.assert(
      fc.property(change, ([before, after]) => {
        const findings = findingsOf(before, after);
        for (const one of compareAccess(before, after).opened) {
          seen.opened++;
          const covering = findings.filter(({ address }) => address === one.address);
          const said = `${one.address} (before: ${one.was}): ${covering.map(({ rule }) => rule)}`;
          expect(covering.filter(mayOpen), said).to.not.eql([]);
          if (!one.everyone) continue;
          seen.everyone++;
          expect(
            covering.some((finding) => finding.severity === "high" || isOfTools(finding)),
            said,
          ).to.equal(true);
        }
      }),
      { seed: 20261124, numRuns: size(500, 10_000) },
    );
    figure(JSON.stringify(seen));
  });
});

const isOfTools = ({ rule }: Finding): boolean => rule === "tls-lowered" || rule === "user-agents-changed";

/** Whether a rule is about what opens. */
const mayOpen = ({ rule }: Finding): boolean =>
  /^(opened|address-added|.*-(opened|widened|dropped|changed|lowered|unprotected)|authority-added|termination-moved)$/.test(
    rule,
  );
