import { decisions, type Exposure, exposureOf, isLetIn, type WorldObject } from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import fc from "fast-check";
import { size } from "../support/size";
import { type AnyWorld, rules } from "./generated/parts";
import * as w from "./worlds";

const { enabled, inbound, policy, refs, to } = w;

/** Somebody who asks: from where, with which certificate, over which TLS, as what. */
interface Client {
  readonly address: string;
  readonly certificate: "a" | "b" | undefined;
  readonly newestTls: "1.2" | "1.3";
  readonly agent: string;
}

const policies = fc.record({ ipp_a: rules, ipp_b: rules });
const isEnabled = fc.constantFrom(true, true, true, false);
const optional = <T extends object>(fields: fc.Arbitrary<T>) =>
  fc.option(
    fc.tuple(isEnabled, fields).map(([on, one]) => ({ ...enabled(one), enabled: on })),
    { nil: null, freq: 2 },
  );
const some = (...ids: string[]) => fc.subarray(ids, { minLength: 1 }).map((chosen) => refs(...chosen));
const restriction = optional(fc.record({ ip_policies: some("ipp_a", "ipp_b") }));
const mutual = optional(fc.record({ certificate_authorities: some("ca_a", "ca_b") }));
const version = fc.constantFrom("1.2", "1.3");
const agents = optional(
  fc.record({ allow: fc.subarray(["^curl/", "Mozilla"]), deny: fc.subarray(["bot", "curl/7"]) }),
);
const httpBackend = fc.constantFrom("bkdsc_up", "bkdhr_ok", "bkdwd_both").map(to);
const denials = fc.constantFrom(
  null,
  null,
  null,
  inbound(policy([], ["deny"])),
  inbound(policy(["true"], ["deny"])),
  inbound(policy(["false"], ["deny"])),
);
const paths = fc.uniqueArray(
  fc.record({
    match_type: fc.constantFrom("path_prefix", "exact_path"),
    match: fc.constantFrom("/", "/a", "/a/b"),
    backend: httpBackend,
    ip_restriction: restriction,
    user_agent_filter: agents,
    jwt_validation: fc.constantFrom(null, null, null, w.jwt()),
    policies: denials,
  }),
  { minLength: 1, maxLength: 4, selector: ({ match, match_type }) => `${match_type} ${match}` },
);
const https = fc.record({
  mutual_tls: mutual,
  tls_termination: optional(fc.record({ min_version: version })),
  routes: paths,
});
const tcp = fc.record({
  mutual_tls: mutual,
  tls_termination: optional(fc.record({ terminate_at: fc.constant("edge"), min_version: version })),
  ip_restriction: restriction,
  backend: fc.constant(to("bkdsc_up")),
});
const clients = fc.record({
  address: fc.constantFrom("127.0.0.1", "127.0.0.2", "127.0.0.5"),
  certificate: fc.constantFrom("a" as const, "b" as const, undefined),
  newestTls: fc.constantFrom("1.2" as const, "1.3" as const),
  agent: fc.constantFrom("curl/8.0", "curl/7.1 bot", "Mozilla/5.0", "other"),
});
const worlds = fc.record({
  policies,
  https: fc.array(https, { minLength: 1, maxLength: 3 }),
  tcp: fc.array(tcp, { maxLength: 2 }),
});

/** Decisions agree with a real Envoy: decisions.full.test.ts. */
describe("Exposures of generated worlds and decisions", () => {
  type Generated = typeof worlds extends fc.Arbitrary<infer T> ? T : never;
  const worldOf = ({ policies: both, https: sites, tcp: raw }: Generated): AnyWorld => [
    ...sites.map(({ routes, ...fields }, index) =>
      w.httpsEdge({
        ...fields,
        id: `edghts_${index}`,
        hostports: [`s${index}.example.com:443`],
        routes: routes.map((one, place) => w.route({ ...one, id: `edghtsrt_${index}_${place}` })),
      } as never),
    ),
    ...raw.map((fields, index) =>
      w.tlsEdge({ ...fields, id: `edgtls_${index}`, hostports: [`t${index}.example.com:443`] }),
    ),
    ...Object.entries(both).flatMap(([id, list]) => list.map((one) => w.rule(id, one.action, one.cidr))),
    ...(["a", "b"] as const).map((name) => w.authority(`ca_${name}`, `-----BEGIN ${name}`)),
    w.fixed("bkdsc_up", "10.0.0.1:8080"),
    w.backend("http_response", "bkdhr_ok", { status_code: 200, body: "ok", headers: {} }),
    w.backend("weighted", "bkdwd_both", { backends: { bkdsc_up: 1, bkdhr_ok: 1 } }),
  ];

  it("agree: who is refused by one is refused by the other, and who is admitted is admitted", () => {
    let [tried, admitted] = [0, 0];
    fc.assert(
      fc.property(worlds, fc.array(clients, { minLength: 2, maxLength: 3 }), (generated, who) => {
        const objects = meaningOf(worldOf(generated));
        const decider = decisions({ objects });
        for (const row of exposureOf({ objects }))
          for (const client of who) {
            const [expected, decision] = [isAdmitted(row, client), decider.decide(requestOf(row, client))];
            tried++;
            if (expected) admitted++;
            expect(isLetIn(decision), JSON.stringify({ row, client, decision })).to.equal(expected);
          }
      }),
      // The seed is fixed in the short run, so that a failure is the same for everybody; the long one tries
      // others.
      { numRuns: size(100, 5000), ...(size(0, 1) === 0 && { seed: 20_261_122 }), endOnFailure: false },
    );
    expect(admitted).to.be.greaterThan(tried / 20);
    expect(admitted).to.be.lessThan(tried);
  });
});

function requestOf({ address }: Exposure, client: Client) {
  const [, host = "", isExact, match = "/"] = /^([^:]+):443( = )?(.*)$/.exec(address) ?? [];
  return {
    address: `${host}:443`,
    // A longer path than any route has: only the prefix takes it.
    path: isExact ? match : `${(match || "/").replace(/\/$/, "")}/zz`,
    from: client.address,
    tls: client.newestTls,
    client_certificate: client.certificate ? { authority: `ca_${client.certificate}` } : null,
    user_agent: client.agent,
  };
}

/** The same objects as `meaning` takes them: routes are objects of their own there. */
function meaningOf(world: AnyWorld): WorldObject[] {
  const policyIds = ["ipp_a", "ipp_b"].map((id) => ({ kind: "ip_policy", id, fields: { id } }));
  return [
    ...policyIds,
    ...world.flatMap(({ kind, fields }): WorldObject[] => {
      const { routes = [], ...rest } = fields as { id: string; routes?: { id: string }[] } & Record<
        string,
        unknown
      >;
      const extra =
        kind === "certificate_authority"
          ? { subject_common_name: rest.id.slice(3), not_after: "2036-01-01T00:00:00Z" }
          : {};
      const children = routes.map((one) => ({
        kind: "https_edge_route",
        id: one.id,
        fields: { ...one, edge_id: rest.id },
      }));
      return [{ kind, id: rest.id, fields: { ...rest, ...extra } }, ...children];
    }),
  ];
}

/** What the words of a row mean for a client. */
function isAdmitted(row: Exposure, client: Client): boolean {
  const { networks, client_certificate, tls: termination, token, sign_in, user_agents, actions } = row;
  if (networks === "nobody" || (networks !== "everyone" && !holds([...networks.v4], client.address)))
    return false;
  if (
    client_certificate &&
    !client_certificate.authorities.some(({ subject }) => subject === client.certificate)
  )
    return false;
  if (termination.from === "1.3" && client.newestTls === "1.2") return false;
  if (token || sign_in) return false;
  if (user_agents) {
    const found = (patterns: readonly string[]) =>
      patterns.some((pattern) => new RegExp(pattern).test(client.agent));
    if (found(user_agents.deny) || (user_agents.allow.length > 0 && !found(user_agents.allow))) return false;
  }
  return !actions.some(({ direction, type, conditional, expressions }) => {
    const applies = !conditional || expressions.every((one) => one === "true");
    return direction === "inbound" && type === "deny" && applies;
  });
}

/** Whether one of these networks holds an IPv4 address. */
function holds(networks: readonly string[], address: string): boolean {
  const number = (text: string) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  return networks.some((network) => {
    const [start = "", mask = "32"] = network.split("/");
    const span = 2 ** (32 - Number(mask));
    return Math.floor(number(start) / span) === Math.floor(number(address) / span);
  });
}
