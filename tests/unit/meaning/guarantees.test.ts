import type { DecisionRequest, GuaranteeState, World } from "@tunnelplane/sdk/meaning";
import { contradiction, evaluateGuarantee, UNKNOWN } from "@tunnelplane/sdk/meaning";
import { authority, declared, inbound, mutual, restricted, route, SITE, site, world } from "./worlds";

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
const judged = (of: World, guarantee: Fields): string => inShort(evaluateGuarantee(of, guarantee));
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

  it("covers no address that nobody declares, and expects an answer of one that it names", () => {
    expect(evaluateGuarantee(world(), refused(["*:443"]))).to.eql({ state: "holds", covered: 0 });
    expect(evaluateGuarantee(world(), refused([SITE]))).to.eql({ state: "holds", covered: 0 });
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
});
