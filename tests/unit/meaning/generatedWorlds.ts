import type { World, WorldObject } from "@tunnelplane/sdk/meaning";
import fc from "fast-check";

type Fields = Readonly<Record<string, unknown>>;
const enabled = fc.constantFrom(true, true, true, true, false);
/** A module that is not there, mostly: requests pass few of many checks. */
const optional = (fields: fc.Arbitrary<Fields>, one = 1, none = 3): fc.Arbitrary<Fields | null> =>
  fc.oneof(
    { weight: one, arbitrary: fc.tuple(enabled, fields).map(([on, more]) => ({ enabled: on, ...more })) },
    { weight: none, arbitrary: fc.constant(null) },
  );
export const some = <T>(...values: T[]) => fc.subarray(values, { minLength: 1 });
const refs = (...ids: string[]) => some(...ids).map((chosen) => chosen.map((id) => ({ id })));
const CIDRS = "10.0.0.0/8 10.1.0.0/16 10.1.2.3/32 0.0.0.0/1 198.51.100.0/24 2001:db8::/32 ::/0".split(" ");
const ATOMS = [
  ...['req.path.startsWith("/a/b")', 'req.path.endsWith("b")', 'req.path.contains("x")'],
  ...['req.path.matches("^/a/[0-9]+$")', 'req.path == "/a"', 'req.method == "POST"'],
  ...['req.method in ["GET", "HEAD"]', 'req.host.startsWith("a")', 'req.headers["x-team"] == "blue"'],
  ...['req.headers["x-team"].matches("(?i)^r")', 'req.user_agent.contains("bot")'],
  ...['conn.client_ip == "10.1.2.3"', 'conn.client_ip.startsWith("10.1")'],
  ...['inCidrRange(conn.client_ip, "10.0.0.0/8")', "true", "false"],
];
/** Conditions that comparisons need not prove, and that no gateway serves. */
const FURTHER_ATOMS = [
  ...['req.method != "OPTIONS"', 'req.path == "/a/b" || req.path == "/"', 'req.path.matches("^/a(/|$)")'],
  ...['req.path.endsWith("b") && !req.path.contains("//")', 'req.headers["X-Team"] != ""', '"a" == "a"'],
  ...['req.headers["x-team"].contains("e")', 'req.headers["x_team"] == ""', 'req.user_agent == ""'],
  ...['req.headers["x-forwarded-for"] == ""', 'req.headers["x-real-ip"].startsWith("1")'],
  ...['conn.client_ip in ["10.1.2.3", "::1"]', 'conn.client_ip.endsWith(".9")', 'req.host == "a.w.test"'],
  ...['req.host.endsWith("B.w.test")', 'conn.tls.sni.startsWith("b.")'],
];
const BEYOND = ['req.cookies["a"] == "b"', "size(req.path) > 3", 'req.host.matches("^a")', 'req.body == "x"'];
const expressionOf = (atoms: readonly string[], beyond: readonly string[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...atoms) },
    fc.constantFrom(...atoms).map((one) => `!(${one})`),
    fc
      .tuple(fc.constantFrom(...atoms), fc.constantFrom("&&", "||"), fc.constantFrom(...atoms))
      .map(([a, op, b]) => `${a} ${op} ${b}`),
    { weight: 1, arbitrary: fc.constantFrom(...beyond) },
  );
const ACTIONS = [
  { type: "deny", config: {} },
  { type: "deny", config: { status_code: 404 } },
  { type: "custom-response", config: { status_code: 200, content: "hello" } },
  { type: "custom-response", config: { status_code: 503, content: "later" } },
  { type: "log", config: {} },
  { type: "rate-limit", config: { name: "few", algorithm: "sliding_window", capacity: 1, rate: "60s" } },
];
const policies = (actions: readonly object[], expressions: fc.Arbitrary<string[]>) =>
  optional(
    fc.record({
      inbound: fc.array(
        fc.record({
          name: fc.constant(""),
          expressions,
          actions: fc.constantFrom(...actions).map((one) => [one]),
        }),
        { maxLength: 3 },
      ),
      outbound: fc.constant([]),
    }),
  );
const onRequests = policies(ACTIONS, fc.array(expressionOf(ATOMS, BEYOND.slice(0, 1)), { maxLength: 2 }));
const wide = { name: "wide", capacity: 1_000_000, rate: "1s" };
const FURTHER_ACTIONS = [
  ...ACTIONS.slice(0, 4),
  { type: "custom-response", config: { status_code: 302, headers: { location: "/a" } } },
  { type: "log", config: { metadata: { team: "web" } } },
  { type: "rate-limit", config: { ...wide, bucket_key: ["conn.client_ip"] } },
  { type: "rate-limit", config: wide },
  { type: "url-rewrite", config: { from: "^/old/(.*)$", to: "/new/$1" } },
  { type: "url-rewrite", config: { from: "^/old/(.*)$", to: "/new/$1" } },
];
const FAULTY_ACTIONS = [
  { type: "url-rewrite", config: { from: "^/old(.*)$", to: "/new/$1" } },
  { type: "rate-limit", config: { ...wide, bucket_key: ["req.body"] } },
  { type: "newer-action", config: {} },
];
/** A policy in many has a condition or an action that no gateway serves. */
const furtherOnRequests = policies(
  [...FURTHER_ACTIONS, ...FURTHER_ACTIONS, ...FURTHER_ACTIONS, ...FAULTY_ACTIONS],
  fc.oneof(
    { weight: 30, arbitrary: fc.array(fc.constantFrom(...ATOMS, ...FURTHER_ATOMS), { maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constantFrom(...BEYOND).map((one) => [one]) },
  ),
);
const onConnections = policies(
  ACTIONS.slice(0, 1),
  fc.subarray(['conn.tls.sni.startsWith("a")', 'inCidrRange(conn.client_ip, "10.0.0.0/8")'], {
    maxLength: 1,
  }),
);

export const ISSUERS = ["https://one.test/", "https://two.test/"];
const claims = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      fc.constantFrom("email", "team", "scope", "realm.role", "email_verified"),
      some("*", "ops", "dev*", "*@a.test", "7", "true", "*o*p*"),
      { maxKeys: 2, noNullPrototype: true },
    ),
  },
);
export const PLACES = [
  { method: "header", name: "authorization", prefix: "Bearer " },
  { method: "header", name: "x-token", prefix: "" },
];
const jwt = optional(
  fc
    .record({
      issuers: some(...ISSUERS),
      audiences: some("api", "web"),
      algorithms: some("RS256", "ES256"),
      keys: some("https://one.test/keys", "https://two.test/keys"),
      places: some(...PLACES),
      require_claims: claims,
      options_passthrough: fc.boolean(),
    })
    .map(({ issuers, audiences, algorithms, keys, places, ...more }) => ({
      ...more,
      issuer: { allow_list: issuers.map((value) => ({ value })) },
      audience: { allow_list: audiences.map((value) => ({ value })) },
      http: { tokens: places.map((place) => ({ type: "jwt", ...place })) },
      jws: { allowed_algorithms: algorithms, keys: { sources: { additional_jkus: keys } } },
    })),
);
const signIn = fc
  .record({
    ...{ issuer: fc.constantFrom(...ISSUERS), client_id: fc.constantFrom("a", "b") },
    ...{ options_passthrough: fc.boolean(), require_claims: claims },
  })
  .map((one) => ({
    ...{ client_secret: "s", cookie_prefix: "", scopes: [], inactivity_timeout: 0 },
    ...{ maximum_duration: 0, ...one },
  }));
const oidc = optional(signIn);
const agents = optional(
  fc.record({ allow: fc.subarray(["^curl/", "Mozilla"]), deny: fc.subarray(["(?i)bot", "curl/7", "^$"]) }),
);
const restriction = optional(fc.record({ ip_policies: refs("ipp_a", "ipp_b") }));
const mutual = optional(fc.record({ certificate_authorities: refs("ca_a", "ca_b") }));
const goingTo = (...ids: string[]) =>
  fc.constantFrom(...ids).map((id) => ({ enabled: true, backend: { id } }));
const orNone = <T>(one: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: one }, { weight: 1, arbitrary: fc.constant(null) });
const backend = goingTo(..."bkdst_1 bkdst_2 bkdhr_1 bkdwd_1 bkdfo_1 bkdtg_1 bkdtg_1 bkdtg_1".split(" "));

/** What applications say about themselves: nothing of it decides who is let in. */
const spoken = fc.record({
  protocol: fc.constantFrom("auto", "http1", "http2"),
  idle_timeout: fc.constantFrom(1, 300, 86_400),
});

const routeFields = {
  match_type: fc.constantFrom("path_prefix", "path_prefix", "exact_path"),
  match: fc.constantFrom("/", "/", "/a", "/a/b", "/ab", "/a/"),
  backend: orNone(backend),
  ip_restriction: restriction,
  jwt_validation: jwt,
  oidc,
  user_agent_filter: agents,
  policies: onRequests,
};
/** With backends inside of others and those that no gateway serves, and with each module. */
const furtherRoute = fc.record({
  ...routeFields,
  match: fc.constantFrom("/", "/", "/a", "/a/b", "/ab", "/a/", "/old"),
  backend: orNone(
    fc.oneof(
      { weight: 20, arbitrary: backend },
      { weight: 20, arbitrary: goingTo(..."bkdwd_mixed bkdwd_nested bkdfo_nested bkdfo_sorry".split(" ")) },
      { weight: 1, arbitrary: goingTo("bkd_missing", "bkdfo_circle", "bkdwd_hole", "bkdfo_split") },
    ),
  ),
  oidc: optional(signIn, 2, 3),
  policies: furtherOnRequests,
  webhook_verification: optional(
    fc.constantFrom("github", "svix").map((provider) => ({ provider, secret: null })),
  ),
  compression: optional(fc.constant({})),
  request_headers: optional(fc.constant({ add: { "x-team": "red" }, remove: ["user-agent"] })),
});
const NAMES = ["a.w.test:443", "b.w.test:443", "*.w.test:443", "www.x.test:443"];
const termination = (extra: Fields) =>
  optional(fc.constantFrom({ min_version: "1.2" }, { min_version: "1.3" }, extra));
const httpsEdgeWith = (route: fc.Arbitrary<{ match_type: string; match: string }>) =>
  fc.record({
    mutual_tls: mutual,
    tls_termination: termination({ min_version: null }),
    escaped_slashes: fc.constantFrom(..."reject reject reject reject reject keep".split(" ")),
    routes: fc.uniqueArray(route, {
      maxLength: 4,
      selector: ({ match, match_type }) => `${match_type} ${match}`,
    }),
  });
const tlsEdge = fc.record({
  mutual_tls: mutual,
  tls_termination: termination({ terminate_at: "upstream", min_version: null }),
  ip_restriction: restriction,
  policies: onConnections,
  backend: fc.option(backend, { nil: null }),
});

const TCP = ["db.w.test:20001", "192.0.2.7:20002"];
const tcpEdge = fc.record({
  ip_restriction: restriction,
  policies: onConnections,
  backend: fc.option(backend, { nil: null }),
});

/** Each hostport has its place: an edge of a kind serves it, or none. */
const placesWith = (route: Parameters<typeof httpsEdgeWith>[0]) =>
  fc.tuple(
    ...TCP.map((hostport) =>
      fc.oneof(
        {
          weight: 2,
          arbitrary: tcpEdge.map((fields) => [
            object("tcp_edge", `edgtcp_${hostport}`, { hostports: [hostport], ...fields }),
          ]),
        },
        { weight: 1, arbitrary: fc.constant([]) },
      ),
    ),
    ...NAMES.map((hostport) =>
      fc.oneof(
        { weight: 4, arbitrary: httpsEdgeWith(route).map((fields) => asHttps(hostport, fields)) },
        {
          weight: 2,
          arbitrary: tlsEdge.map((fields) => [
            object("tls_edge", `edgtls_${hostport}`, { hostports: [hostport], ...fields }),
          ]),
        },
        { weight: 2, arbitrary: fc.constant([]) },
      ),
    ),
  );
const object = (kind: string, id: string, fields: Fields): WorldObject => ({
  kind,
  id,
  fields: { id, ...fields },
});

function asHttps(hostport: string, { routes, ...fields }: { routes: readonly Fields[] }): WorldObject[] {
  const name = hostport.replace(/\W/g, "_");
  const edge = `edghts_${name}`;
  return [
    object("https_edge", edge, { hostports: [hostport], ...fields }),
    ...routes.map((one) =>
      object("https_edge_route", `rt_${name}_${one.match_type}_${String(one.match).replaceAll("/", "_")}`, {
        edge_id: edge,
        ...one,
      }),
    ),
  ];
}

const rules = fc.uniqueArray(
  fc.record({ action: fc.constantFrom("allow", "allow", "deny"), cidr: fc.constantFrom(...CIDRS) }),
  { maxLength: 3, selector: ({ cidr }) => cidr },
);
const shared = fc.tuple(
  ...["ipp_a", "ipp_b"].map((id) =>
    rules.map((all) => [
      object("ip_policy", id, {}),
      ...all.map((rule) =>
        object("ip_policy_rule", `ipr_${id} ${rule.cidr}`, { ip_policy: { id }, ...rule }),
      ),
    ]),
  ),
  fc
    .constantFrom(200, 201)
    .map((status_code) => [
      object("http_response_backend", "bkdhr_1", { status_code, body: "", headers: {} }),
    ]),
  fc
    .tuple(fc.constantFrom("one.test:80", "two.test:80"), spoken)
    .map(([address, more]) => [
      object("static_backend", "bkdst_1", { address, tls: { enabled: false }, ...more }),
    ]),
  spoken.map((more) => [
    object("static_backend", "bkdst_2", { address: "three.test:80", tls: { enabled: false }, ...more }),
  ]),
  fc
    .constantFrom(0, 1)
    .map((weight) => [
      object("weighted_backend", "bkdwd_1", { backends: { bkdst_1: weight, bkdst_2: weight } }),
    ]),
  fc.constant([object("failover_backend", "bkdfo_1", { backends: ["bkdst_1", "bkdst_2"] })]),
  spoken.map((more) => [object("tunnel_group_backend", "bkdtg_1", { labels: { service: "web" }, ...more })]),
  fc.constantFrom([], ["bind:service=web"]).map((acl) => [object("tunnel_credential", "cr_1", { acl })]),
  fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc
        .record({ enforced: fc.boolean(), ip_policies: refs("ipp_a", "ipp_b") })
        .map((fields) => [object("ip_restriction", "ipx_1", { type: "endpoints", ...fields })]),
    },
  ),
  fc.constant(
    ["a", "b"].map((name) =>
      object("certificate_authority", `ca_${name}`, {
        subject_common_name: name,
        ca_pem: `-----BEGIN ${name}`,
      }),
    ),
  ),
);

const parts = fc
  .tuple(placesWith(fc.record(routeFields)), shared)
  .map(([some, others]) => [...some, ...others]);

/** Backends inside of others, and faulty ones. */
const FURTHER_BACKENDS = [
  object("weighted_backend", "bkdwd_mixed", { backends: { bkdst_1: 1, bkdhr_1: 1 } }),
  object("weighted_backend", "bkdwd_nested", { backends: { bkdwd_mixed: 1, bkdfo_sorry: 2 } }),
  object("weighted_backend", "bkdwd_hole", { backends: { bkdst_1: 1, bkdwd_zero: 1 } }),
  object("weighted_backend", "bkdwd_zero", { backends: { bkdst_1: 0 } }),
  ...Object.entries({
    ...{ bkdfo_nested: ["bkdwd_zero", "bkdfo_none", "bkdtg_1", "bkdfo_1"], bkdfo_none: [] },
    ...{ bkdfo_sorry: ["bkdtg_1", "bkdhr_1", "bkdst_1"], bkdfo_split: ["bkdwd_mixed", "bkdst_2"] },
    ...{ bkdfo_circle: ["bkdst_1", "bkdfo_round"], bkdfo_round: ["bkdfo_circle"] },
  }).map(([id, backends]) => object("failover_backend", id, { backends })),
];

/** A world with every module and every kind of backend, which gateways serve in part. */
export const furtherWorld: fc.Arbitrary<World> = fc
  .tuple(placesWith(furtherRoute), shared)
  .map(([some, others]) => ({ objects: [...some, ...others].flat().concat(FURTHER_BACKENDS) }));

/** Takes some objects, and some fields of others, from another state of the same part. */
function blended(part: readonly WorldObject[], other: readonly WorldObject[], taken: readonly boolean[]) {
  let next = 0;
  const isTaken = () => taken[next++ % taken.length] === true;
  const here = part.flatMap((one) => {
    const there = other.find(({ id }) => id === one.id);
    if (!there) return isTaken() ? [] : [one];
    const names = Object.keys(one.fields) as (keyof typeof one.fields)[];
    const fields = names.map((name) => [name, (isTaken() ? there : one).fields[name]]);
    return [{ ...one, fields: Object.fromEntries(fields) }];
  });
  const fresh = other.filter(
    ({ id, kind }) => kind === "https_edge_route" && !part.some((one) => one.id === id),
  );
  const isHttps = part.some(({ kind }) => kind === "https_edge");
  return [...here, ...(isHttps ? fresh.filter(isTaken) : [])];
}

const parting = fc.record({
  at: fc.nat(TCP.length + NAMES.length + 1),
  whole: fc.boolean(),
  taken: fc.array(fc.constantFrom(true, false, false), { minLength: 5, maxLength: 12 }),
});

/** A world, and what a change makes of it: parts of it are taken from another one, whole or not. */
export const change: fc.Arbitrary<readonly [before: World, after: World]> = fc
  .tuple(parts, parts, fc.array(parting, { minLength: 1, maxLength: 3 }))
  .map(([before, other, changes]) => {
    const after = before.map((part, index) => {
      const found = changes.find(({ at }) => at === index);
      const there = other[index] ?? part;
      return !found ? part : found.whole ? there : blended(part, there, found.taken);
    });
    return [{ objects: before.flat() }, { objects: after.flat() }];
  });
