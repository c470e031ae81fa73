import type { Decision, DecisionRequest, World } from "@tunnelplane/sdk/meaning";
import { compareAccess, decisions, KnownFaults, UNKNOWN, unservable } from "@tunnelplane/sdk/meaning";
import fc from "fast-check";
import { change } from "./generatedWorlds";
import { edge, inbound, policy, ref, restricted, route, site, tokensOf, world } from "./worlds";

const WWW = "www.example.com:443";
const ask = (of: World, request: Partial<DecisionRequest> = {}): Decision =>
  decisions(of).decide({ address: WWW, from: "198.51.100.7", ...request });
const said = (of: World, request: Partial<DecisionRequest> = {}): string => {
  const { outcome, status } = ask(of, request);
  return status === null ? outcome : `${outcome} ${status}`;
};
type Policy = Parameters<typeof inbound>[0];
const jwt = { jwt_validation: tokensOf("https://id.example.com", "https://id.example.com/jwks") };

describe("A decision says what happens to a request:", () => {
  it("an edge that no gateway can serve is closed at its names, and no wildcard takes them over", () => {
    const of = world(
      site({}, { hostports: ["*.example.com:443"] }),
      edge({ backend: { backend_id: ref("http_response_backend", "ok") } }),
    );
    expect(said(of, { address: "app.example.com:443" })).to.equal("closed");
    expect(ask(of, { address: "app.example.com:443" }).sentence).to.contain("answers with HTTP");
    expect(unservable(of)).to.deep.equal([
      {
        kind: "tls_edge",
        id: "tls_edge_app",
        name: "app",
        reason:
          "the backend urn:http_response_backend:ok answers with HTTP, which a TLS edge does not speak: use it on a route of an HTTPS edge",
      },
    ]);
  });

  it("a port that no gateway listens for is closed, and the edge's other hostports are served", () => {
    const of = { ...world(site({}, { hostports: [WWW, "www.example.com:8443"] })), ports: [443] };
    expect(said(of)).to.equal("answered 200");
    expect(said(of, { address: "www.example.com:8443" })).to.equal("closed");
    expect(unservable(of).map(({ hostport, reason }) => [hostport, reason])).to.deep.equal([
      [
        "www.example.com:8443",
        "www.example.com:8443 is not served, because no gateway listens for port 8443",
      ],
    ]);
  });

  it("who is not signed in is sent to sign in where a person navigates, and refused where none does", () => {
    const of = world(site({ oidc: { issuer: "https://id.example.com", client_id: "site" } }));
    const html = "text/html,*/*;q=0.8";
    for (const [headers, expected] of [
      [undefined, "sign_in 302"],
      [{ Accept: html, "Sec-Fetch-Mode": "navigate" }, "sign_in 302"],
      [{ accept: "TEXT/HTML", "x-requested-with": "", upgrade: "" }, "sign_in 302"],
      ["unknown", "sign_in"],
      [{ accept: "unknown" }, "sign_in"],
      [{ accept: html, "Sec-Fetch-Mode": "cors" }, "refused 401"],
      [{ accept: "*/*" }, "refused 401"],
      [{ accept: html, "X-Requested-With": "XMLHttpRequest" }, "refused 401"],
      [{ accept: html, connection: "Upgrade", Upgrade: "websocket" }, "refused 401"],
    ] as const)
      expect(said(of, { headers }), JSON.stringify(headers)).to.equal(expected);
  });

  it("the first policy that answers decides, and what it answers is a refusal from 400 on", () => {
    const deny: Policy = [[], "deny"];
    const hello: Policy = [[], "custom-response", { status_code: 200 }];
    expect(said(world(site(inbound(deny, hello))))).to.equal("refused 403");
    expect(said(world(site(inbound(hello, deny))))).to.equal("answered 200");
    const limit: Policy = [[], "rate-limit", { name: "each", capacity: 1, rate: "1s" }];
    expect(ask(world(site(inbound(limit)))).limited).to.equal(true);
    expect(ask(world(site(inbound(limit, hello)))).limited, "Envoy answers, and counts nothing").to.equal(
      false,
    );
  });

  it("an address of IPv4 that is written within IPv6 is that address, in requests, rules and expressions", () => {
    const guarded = (...rules: string[]) => world(site(restricted("office")), policy("office", ...rules));
    const denied = (expression: string) => world(site(inbound([[expression], "deny"])));
    const forms = ["198.51.100.7", "::ffff:198.51.100.7", "::FFFF:c633:6407", "0:0:0:0:0:ffff:198.51.100.7"];
    for (const from of forms) {
      for (const [of, outcome] of [
        [guarded("allow 198.51.100.0/24"), "answered 200"],
        [guarded("allow ::ffff:198.51.100.0/120"), "answered 200"],
        [guarded("allow 0.0.0.0/0", "deny ::ffff:c633:6400/120"), "refused 403"],
        [guarded("allow ::/0"), "refused 403"],
        [guarded("allow ::fffe:0:0/95"), "refused 403"],
      ] as const)
        expect(said(of, { from }), from).to.equal(outcome);
      for (const expression of [
        'conn.client_ip == "198.51.100.7"',
        'conn.client_ip in ["192.0.2.1", "::ffff:198.51.100.7"]',
        'conn.client_ip.inCidrRange("198.51.100.0/24")',
        'inCidrRange(conn.client_ip, "::ffff:198.51.100.0/120")',
        'conn.client_ip.startsWith("198.51.")',
        'conn.client_ip.endsWith("100.7") && !conn.client_ip.contains(":")',
        '!conn.client_ip.inCidrRange("::/0")',
      ])
        expect(said(denied(expression), { from }), `${expression} from ${from}`).to.equal("refused 403");
    }
  });
});

describe("A decision is never a guess:", () => {
  it("a value that was not recorded decides nothing, and is not missed where nothing looks at it", () => {
    const team = world(site(inbound([['req.headers["x-team"] == "red"'], "deny"])));
    expect(ask(team, { headers: "unknown" }).sentence).to.contain("the header `x-team`, not recorded");
    expect(said(world(site()), { headers: "unknown", user_agent: "unknown", token: "unknown" })).to.equal(
      "answered 200",
    );
    const office = world(site(restricted("office")), policy("office", "allow 198.51.100.0/25"));
    expect(said(office, { from: "198.51.100.0/26" })).to.equal("answered 200");
    expect(said(office, { from: "198.51.100.0/24" })).to.equal("unknown");
    expect(said(office, { from: "2001:db8::/48" })).to.equal("refused 403");
    const admin = world(site(), route("/api/admin", jwt));
    expect(said(admin, { path: "/web/…/x" })).to.equal("answered 200");
    expect(said(admin, { path: "/api/…" })).to.equal("unknown");
    expect(said(world(site()), { path: "unknown" }), "it may be one that no gateway takes").to.equal(
      "unknown",
    );
  });

  it("nor does a value of a world that is not known yet", () => {
    const networks = { ip_restriction: { ip_policy_ids: [UNKNOWN] } };
    expect(said(world(site(networks)))).to.equal("unknown");
    expect(said(world(site(), route(UNKNOWN)))).to.equal("unknown");
    expect(said(world(site(), route("/x", {}, "exact_path"), route(UNKNOWN)), { path: "/x" })).to.equal(
      "answered 200",
    );
    const names = world(site(), edge({ hostports: UNKNOWN }));
    expect(said(names)).to.equal("answered 200");
    expect(said(names, { address: "new.example.com:443" })).to.equal("unknown");
    expect(said({ ...world(site()), partial: true }, { address: "new.example.com:443" })).to.equal("unknown");
  });

  it("nor does a network whose addresses are not all written as a policy asks", () => {
    const denied = (expression: string, from: string) =>
      said(world(site(inbound([[expression], "deny"]))), { from });
    const begins = 'conn.client_ip.startsWith("10.1")';
    expect(["10.1.2.3", "10.19.0.7", "10.2.0.7"].map((from) => denied(begins, from))).to.deep.equal([
      "refused 403",
      "refused 403",
      "answered 200",
    ]);
    const ends = 'conn.client_ip.endsWith(":7")';
    expect(["2001:db8::7", "2001:db8::8", "2001:db8::/64"].map((from) => denied(ends, from))).to.deep.equal([
      "refused 403",
      "answered 200",
      "unknown",
    ]);
    // Comparisons cut requests up by networks, and say where they cannot.
    const after = world(site(inbound([[ends], "deny"])));
    expect(compareAccess(world(site()), after)).to.deep.include({
      verdict: "unproved",
      unproved: [
        {
          address: "www.example.com:443/",
          reason:
            "A policy looks at the text of addresses, which cannot be cut into networks: use inCidrRange.",
        },
      ],
    });
  });

  it("an impossible request is answered with a sentence", () => {
    expect(ask(world(site()), { address: "www.example.com" }).sentence).to.contain("write NAME:PORT");
    expect(ask(world(site()), { from: "somewhere" }).sentence).to.contain('"somewhere" is not an IP address');
    expect(ask(world(site()), { path: "admin" })).to.include({ outcome: "refused", status: 400 });
    expect(ask(world(site()), { address: "other.example.com:443" }).sentence).to.equal(
      "Closed: No edge serves `other.example.com:443`.",
    );
  });
});

describe("Each thing that no gateway can serve has its reason:", () => {
  it("the same whether worlds are asked for one after another, or each by itself", () => {
    const known = new KnownFaults();
    let closed = 0;
    fc.assert(
      fc.property(change, (worlds) => {
        // Each object goes and comes again, while all others stay the same.
        const among = worlds.flatMap((one) =>
          one.objects.flatMap((_, index) => [one, { ...one, objects: one.objects.toSpliced(index, 1) }]),
        );
        for (const one of among) {
          const said = unservable(one);
          expect(unservable(one, known)).to.deep.equal(said);
          closed += said.length;
        }
      }),
      { numRuns: 30, seed: 20261124 },
    );
    expect(closed).to.be.greaterThan(30);
  });
});
