import {
  contradiction,
  type DecisionRequest,
  type GuaranteeState,
  guaranteesBrokenBy,
  judgeGuarantee,
  mistakeInGuarantee,
  UNKNOWN,
  type World,
} from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import {
  agent,
  authority,
  declared,
  edge,
  inbound,
  mutual,
  policy,
  restricted,
  route,
  SITE,
  serving,
  site,
  tokensOf,
  world,
} from "./worlds";

type Fields = Record<string, unknown>;

const refused = (addresses: string[], more: Fields = {}): Fields => ({
  expect: "refused",
  addresses,
  ...more,
});
const answered = (addresses: string[], more: Fields = {}): Fields => ({
  ...refused(addresses, more),
  expect: "answered",
});

/** `holds at 2 addresses`, `broken by GET www.example.com:443/admin from 198.51.100.7` */
function inShort({ state, covered, example, reason }: GuaranteeState): string {
  const { address, method, path, from, ...more } = example?.request ?? ({} as Partial<DecisionRequest>);
  const shown = Object.keys(more).length > 0 ? ` with ${JSON.stringify(more)}` : "";
  if (state === "broken") return `broken by ${method} ${address}${path} from ${from}${shown}`;
  return state === "holds" ? `holds at ${covered}` : `unproved: ${reason}`;
}
const judged = (of: World, guarantee: Fields): string => inShort(judgeGuarantee(of, guarantee));

const token = { jwt_validation: tokensOf("https://issuer.test/", "https://issuer.test/keys") };
const NOBODY_WITHOUT = { client_certificate: "none", token: "none", session: "none" };

describe("A guarantee", () => {
  it("that an admin page asks for a certificate covers it at every address, whatever route serves it", () => {
    const guarantee = refused(["*:443/admin"], { client_certificate: "none" });
    const strict = world(site({}, mutual("clients")), authority("clients"));
    expect(judged(strict, guarantee)).to.equal("holds at 1");
    expect(judged(world(site()), guarantee)).to.equal(`broken by GET ${SITE}/admin from 198.51.100.7`);
    // `/administrators` begins with `/admin`, and `/Admin` does not.
    const around = world(site({}, mutual("clients")), authority("clients"), route("/administrators"));
    expect(judged(around, guarantee)).to.equal("holds at 2");
    const other = world(...site(), route("/admin", inbound([[], "deny"])));
    expect(judged(other, guarantee)).to.equal("holds at 1");
    expect(judged(world(...site(), route("/Admin")), guarantee)).to.equal(
      `broken by GET ${SITE}/admin from 198.51.100.7`,
    );
  });

  it("that health checks are answered from the monitor names what refuses one", () => {
    const health = answered([`${SITE}/health`], { methods: ["GET"], networks: ["192.0.2.10/32"] });
    const open = world(...site(token), route("/health"));
    expect(judged(open, health)).to.equal("holds at 1");
    const closed = world(
      ...site(),
      route("/health", restricted("office")),
      policy("office", "allow 10.0.0.0/8"),
    );
    expect(judged(closed, health)).to.equal(`broken by GET ${SITE}/health from 192.0.2.10`);
    const gone = world(...site(token));
    expect(judged(gone, health)).to.equal(`broken by GET ${SITE}/health from 192.0.2.10`);
  });

  it("that names below a domain ask for a session reaches every depth and port", () => {
    const guarantee = refused(["*.internal.example.com:*"], { session: "none" });
    const other = [serving("a", "internal.example.com:443"), serving("b", "other.example.com:443")];
    expect(judged(world(agent, ...other), guarantee)).to.equal("holds at 0");
    const deep = serving("deep", "a.b.internal.example.com:8443");
    expect(judged(world(agent, deep), guarantee)).to.equal(
      "broken by GET a.b.internal.example.com:8443/ from 198.51.100.7",
    );
    const wild = serving("wild", "*.internal.example.com:443");
    expect(judged(world(agent, wild), guarantee)).to.equal(
      "broken by GET www.internal.example.com:443/ from 198.51.100.7",
    );
  });

  it("about callers outside of a network holds where each of them needs something", () => {
    const guarantee = refused(["*:*"], { except_networks: ["10.0.0.0/8"], ...NOBODY_WITHOUT });
    expect(judged(world(site(token)), guarantee)).to.equal("holds at 1");
    const office = [...site(restricted("office")), ...policy("office", "allow 10.0.0.0/8")];
    expect(judged(world(office), guarantee)).to.equal("holds at 1");
    const wider = [...site(restricted("office")), ...policy("office", "allow 8.0.0.0/5")];
    expect(judged(world(wider), guarantee)).to.equal(`broken by GET ${SITE}/ from 8.0.0.1`);
  });

  it("that metrics are refused beyond a network covers only callers beyond it", () => {
    const guarantee = refused(["*:443/metrics"], { except_networks: ["10.0.0.0/8"] });
    const inside = [
      ...site(token),
      route("/metrics", restricted("office")),
      ...policy("office", "allow 10.1.0.0/16"),
    ];
    expect(judged(world(inside), guarantee)).to.equal(
      // Everybody with a token is let in by `/`, but `/metrics` is taken before.
      "holds at 1",
    );
    expect(judged(world(site(token)), guarantee)).to.match(/^broken by GET .*\/metrics .*with \{"token":/);
  });

  it("about callers with an accepted credential is not broken by those whose credential is not", () => {
    const guarantee = answered([SITE], { token: "required" });
    expect(judged(world(site(token)), guarantee)).to.equal("holds at 1");
    expect(judged(world(site()), guarantee)).to.equal("holds at 1");
    expect(judged(world(site(token)), answered([SITE]))).to.equal(`broken by GET ${SITE}/ from 198.51.100.7`);
    const closed = world(site({ ...token, ...restricted("nobody") }), policy("nobody", "deny 0.0.0.0/0"));
    expect(judged(closed, guarantee)).to.match(/^broken by GET .*"issuer":"https:\/\/issuer.test\/"/);
  });

  it("covers methods and a name below a wildcard where it names them", () => {
    const wild = world(...site({}, { hostports: ["*.example.com:443"] }));
    const post = refused(["shop.example.com:443"], { methods: ["POST"] });
    expect(judged(wild, post)).to.equal("broken by POST shop.example.com:443/ from 198.51.100.7");
    const readOnly = world(
      ...site(inbound([['req.method != "GET"'], "deny"]), { hostports: ["*.example.com:443"] }),
    );
    expect(judged(readOnly, post)).to.equal("holds at 1");
    const anyPort = refused(["shop.example.com:*"], { methods: ["GET"] });
    expect(judged(readOnly, anyPort)).to.equal("broken by GET shop.example.com:443/ from 198.51.100.7");
  });

  it("covers no address that nobody declares, and expects an answer of one that it names", () => {
    expect(judgeGuarantee(world(), refused(["*:443"]))).to.eql({ state: "holds", covered: 0 });
    expect(judgeGuarantee(world(), refused([SITE]))).to.eql({ state: "holds", covered: 0 });
    expect(judged(world(), answered(["*:443"]))).to.equal("holds at 0");
    expect(judged(world(), answered([SITE]))).to.equal(`broken by GET ${SITE}/ from 198.51.100.7`);
  });

  it("is unproved, with the reason, where a value is not known or objects are missing", () => {
    const guarantee = refused(["*:443"], NOBODY_WITHOUT);
    const later = world(declared("tls_edge", "later", { hostports: UNKNOWN }));
    expect(judged(later, guarantee)).to.equal("unproved: Not all hostports of later are known yet.");
    expect(judged({ objects: [], partial: true }, guarantee)).to.equal(
      "unproved: Not all objects are known here.",
    );
    expect(judged(world(), { ...guarantee, addresses: UNKNOWN })).to.equal(
      "unproved: Not all of its fields are known yet.",
    );
    const someone = world(site(restricted("some")), declared("ip_policy", "some"));
    const unknown = {
      ...someone,
      objects: [
        ...someone.objects,
        declared("ip_policy_rule", "r", {
          ip_policy_id: "urn:ip_policy:some",
          action: "allow",
          cidr: UNKNOWN,
        }),
      ],
    };
    expect(judged(unknown, guarantee)).to.match(/^unproved: At `www.example.com:443\/`: /);
  });

  it("is broken by the change that lets in what it forbids, with the request before and after", () => {
    const guarantee = refused(["*:443/admin"], { client_certificate: "none", token: "none" });
    const before = world(...site(), route("/admin", token));
    const after = world(...site());
    const [found] = guaranteesBrokenBy(before, after, [guarantee]);
    expect(found?.example?.request).to.include({ address: SITE, path: "/admin" });
    expect([found?.example?.before.outcome, found?.example?.after.outcome]).to.eql(["refused", "answered"]);
    expect(guaranteesBrokenBy(after, after, [guarantee]), "broken before").to.eql([]);
    expect(guaranteesBrokenBy(after, before, [guarantee]), "mended").to.eql([]);
    expect(
      guaranteesBrokenBy(before, { ...before, objects: [...before.objects, edge()] }, [guarantee]),
    ).to.have.length(1);
  });

  it("contradicts another one where one request would have to be refused and answered", () => {
    const health = answered(["app.example.com:443/health"], { networks: ["192.0.2.0/24"] });
    expect(contradiction(refused(["*.example.com:*"], { methods: ["GET"] }), health)).to.eql({
      address: "app.example.com:443",
      path: "/health",
      method: "GET",
      from: "192.0.2.1",
    });
    expect(contradiction(health, refused(["*:443/h"], { token: "required" }))).to.include({
      token: "unknown",
    });
    const apart: Fields[] = [
      refused(["*:443/health"], { except_networks: ["192.0.0.0/16"] }),
      refused(["*:8443"]),
      refused(["*.app.example.com:443"]),
      refused(["*:443/admin"]),
      refused(["*:443"], { mode: "report" }),
      answered(["*:443"]),
    ];
    for (const other of apart)
      expect(contradiction(health, other), JSON.stringify(other)).to.equal(undefined);
    expect(contradiction({ ...health, session: "required" }, refused(["*:*"], { session: "none" }))).to.equal(
      undefined,
    );
    expect(contradiction({ ...health, methods: ["GET"] }, refused(["*:*"], { methods: ["POST"] }))).to.equal(
      undefined,
    );
  });

  it("that covers no caller is a mistake", () => {
    const nobody = refused(["*:*"], { networks: ["10.1.0.0/16"], except_networks: ["10.0.0.0/8"] });
    expect(mistakeInGuarantee(nobody)).to.equal(
      "`except_networks` leaves nothing of `networks`, so the guarantee covers no request",
    );
    expect(mistakeInGuarantee({ ...nobody, networks: [] })).to.equal(undefined);
  });
});
