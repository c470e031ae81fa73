import fc from "fast-check";
import { authority, enabled, httpsEdge, jwt, oidc, refs, route, rule, tcpEdge, tlsEdge } from "../worlds";
import { allBackends, FAULTY, HTTP, PLAIN } from "./backends";
import { type AnyWorld, AUTHORITIES, ISSUERS, KEY_SETS, maybe, requiredClaims, rules } from "./parts";
import { httpPolicies, tcpPolicies } from "./policies";

const restriction = maybe(
  fc.record({ ip_policies: fc.subarray(["ipp_a", "ipp_b"], { minLength: 1 }).map((ids) => refs(...ids)) }),
  3,
);
const mutual = maybe(
  fc.record({
    certificate_authorities: fc
      .subarray(["ca_a", "ca_b", "ca_same"], { minLength: 1 })
      .map((ids) => refs(...ids)),
  }),
  3,
);
const version = fc.constantFrom("1.2", "1.3");

const goingTo = (id: string) => ({ backend: { id, uri: `/backends/${id}` } });
const backends = (ids: readonly string[], faulty: readonly string[]) =>
  maybe(
    fc
      .oneof(
        { weight: 40, arbitrary: fc.constantFrom(...ids) },
        { weight: 1, arbitrary: fc.constantFrom(...faulty) },
      )
      .map(goingTo),
    9,
  );

const agents = maybe(
  fc.record({
    allow: fc.subarray(["^curl/", "Mozilla", "(?i)BOT$"]),
    deny: fc.subarray(["bot", "curl/7", "^$"]),
  }),
  3,
);

const some = (values: readonly string[]) => fc.subarray([...values], { minLength: 1 });
const PLACES = [
  { type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " },
  { type: "jwt", method: "header", name: "X-Token", prefix: "" },
];
const tokens = maybe(
  fc
    .record({
      issuers: some(ISSUERS),
      audiences: some(["api", "web"]),
      places: fc.subarray(PLACES, { minLength: 1 }),
      algorithms: some(["RS256", "RS512"]),
      keys: some(KEY_SETS),
      require_claims: requiredClaims,
      inBody: fc.integer({ min: 0, max: 40 }).map((one) => one === 0),
    })
    .map(({ issuers, audiences, places, algorithms, keys, inBody, require_claims }) =>
      jwt({
        require_claims,
        issuer: { allow_list: issuers.map((value) => ({ value })) },
        audience: { allow_list: audiences.map((value) => ({ value })) },
        http: { tokens: inBody ? [{ type: "jwt", method: "body", name: "token", prefix: "" }] : places },
        jws: { allowed_algorithms: algorithms, keys: { sources: { additional_jkus: keys } } },
      }),
    ),
  3,
);
const signIns = maybe(
  fc.record({ options_passthrough: fc.boolean(), require_claims: requiredClaims }).map(oidc),
  2,
);

const webhooks = maybe(
  fc.constantFrom("github", "svix").map((provider) => ({ provider, secret: null })),
  4,
);

const routes = fc.uniqueArray(
  fc.record({
    match_type: fc.constantFrom("path_prefix", "path_prefix", "exact_path"),
    match: fc.constantFrom("/", "/", "/a", "/a/", "/a/b", "/ab", "/old"),
    backend: backends([...PLAIN, ...HTTP], FAULTY),
    ip_restriction: restriction,
    user_agent_filter: agents,
    jwt_validation: tokens,
    oidc: signIns,
    webhook_verification: webhooks,
    compression: maybe(fc.constant({}), 4),
    request_headers: maybe(fc.constant({ add: { "x-team": "red" }, remove: ["user-agent"] }), 4),
    policies: httpPolicies,
  }),
  { maxLength: 4, selector: ({ match, match_type }) => `${match_type} ${match}` },
);

const HOSTS = ["app", "*", "api", "*.b", "x.b", "b", "tcp"].map((name) => `${name}.example.com:443`);
const https = fc.record({
  mutual_tls: mutual,
  tls_termination: maybe(fc.record({ min_version: version }), 3),
  routes,
});
const tls = fc.record({
  mutual_tls: mutual,
  tls_termination: maybe(fc.record({ terminate_at: fc.constant("edge"), min_version: version }), 3),
  ip_restriction: restriction,
  policies: tcpPolicies,
  backend: backends(PLAIN, ["bkdhr_ok", ...FAULTY]),
});
const tcp = fc.record({
  ip_restriction: restriction,
  policies: tcpPolicies,
  backend: backends(PLAIN, ["bkdhr_ok", ...FAULTY]),
});
/** Two edges may ask for one port, with the same name or another. */
const PORTS = fc.tuple(
  fc.constantFrom(
    ["db.example.com:20001"],
    ["203.0.113.7:20002", "[2001:db8::1]:20002"],
    ["db.example.com:20001", "203.0.113.7:20002"],
  ),
  fc.constantFrom(["db.example.com:20001"], ["other.example.com:20001"], ["[2001:db8::1]:20002"]),
);
/** TLS ends at the program behind. */
const passed = fc.record({
  tls_termination: fc.constant(enabled({ terminate_at: "upstream", min_version: null })),
  ip_restriction: restriction,
  backend: fc.constant(enabled(goingTo("bkdsc_tls"))),
});

/** Worlds whose hostports, routes and policies compete, with every module and every kind of backend. */
export const anyWorld: fc.Arbitrary<AnyWorld> = fc
  .record({
    a: rules,
    b: rules,
    https: fc.array(https, { minLength: 1, maxLength: 3 }),
    tls: fc.array(fc.oneof({ weight: 3, arbitrary: tls }, { weight: 1, arbitrary: passed }), {
      maxLength: 2,
    }),
    tcp: fc.array(tcp, { maxLength: 2 }),
    ports: PORTS,
    everywhere: fc.option(
      fc.record({
        enforced: fc.boolean(),
        ip_policies: fc.constantFrom(refs("ipp_a"), refs("ipp_a", "ipp_b")),
      }),
      { nil: null, freq: 4 },
    ),
    hosts: fc.shuffledSubarray(HOSTS, { minLength: 5 }),
  })
  .map(({ a, b, https: sites, tls: raw, tcp: plain, ports, everywhere, hosts }) => {
    const edges = sites.length + raw.length;
    const own = (index: number) => hosts.filter((_, place) => place % edges === index);
    return [
      ...sites.map(({ routes: list, ...fields }, index) =>
        httpsEdge({
          ...fields,
          id: `edghts_${index}`,
          hostports: own(index),
          routes: list.map((one, place) => route({ ...one, id: `edghtsrt_${index}_${place}` })),
        } as never),
      ),
      ...raw.map((fields, index) =>
        tlsEdge({ ...fields, id: `edgtls_${index}`, hostports: own(sites.length + index) }),
      ),
      ...plain.map((fields, index) => tcpEdge({ ...fields, id: `edgtcp_${index}`, hostports: ports[index] })),
      ...(everywhere
        ? [{ kind: "ip_restriction", fields: { id: "ipx_1", type: "endpoints", ...everywhere } }]
        : []),
      ...a.map(({ action, cidr }) => rule("ipp_a", action, cidr)),
      ...b.map(({ action, cidr }) => rule("ipp_b", action, cidr)),
      ...allBackends,
      authority("ca_a", AUTHORITIES.a),
      authority("ca_same", AUTHORITIES.a),
      authority("ca_b", AUTHORITIES.b),
    ];
  });
