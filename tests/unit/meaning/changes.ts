import type { World, WorldObject } from "@tunnelplane/sdk/meaning";
import {
  agent,
  authority,
  declared,
  edge,
  inbound,
  mutual,
  ref,
  route,
  SITE,
  serving,
  site,
  tokensOf,
  world,
} from "./worlds";

type Fields = Record<string, unknown>;
type Policy = [expressions: string[], type: string, config?: object];

export const tokenOf = (change: Fields = {}): Fields => ({
  jwt_validation: { ...tokensOf("https://issuer.test/", "https://issuer.test/keys"), ...change },
});
export const token = tokenOf();
export const inBody = tokenOf({
  http: { tokens: [{ type: "jwt", method: "body", name: "token", prefix: "" }] },
});

interface Expected {
  readonly opened?: readonly string[];
  readonly closed?: readonly string[];
  readonly moved?: readonly string[];
  readonly findings?: readonly string[];
  readonly among?: readonly string[];
  readonly sentence?: string | RegExp;
  readonly verdict?: RegExp;
}
type Row = readonly [change: string, before: World, after: World, expected: Expected];
const deny: Policy = [['req.path.startsWith("/internal")'], "deny"];
const answer: Policy = [[], "custom-response", { status_code: 200, content: "hello" }];
const [strict, loose] = [world(site(inbound(deny, answer))), world(site(inbound(answer, deny)))];
const admin = world(site(), route("/admin", token));
const exact = world(site(), route("/admin", token, "exact_path"));
const [edgeOf, , ok] = site() as [WorldObject, WorldObject, WorldObject];
const wild = serving("wild", "*.w.test:443");
const certain = serving("certain", "a.w.test:443", mutual("ca"));
const others = [agent, authority("ca"), serving("x", "x:443", mutual("ca"))];
export const twoRoutes = world(site(), route("/b"));
const stopped = [`traffic-stopped high ${SITE}/`, `traffic-stopped high ${SITE}/b`];
const stops = [
  `GET ${SITE}/: ${SITE}/ 200 → ${SITE}/ closed`,
  `GET ${SITE}/b: ${SITE}/b 200 → ${SITE}/b closed`,
];
const toAnswer = edge({ backend: { backend_id: ref("http_response_backend", "ok") } });
const answering = (status_code: number) =>
  world(site().slice(0, 2), declared("http_response_backend", "ok", { status_code }));
const denying = (path: string) => world(site(inbound([[`req.path.startsWith("${path}")`], "deny"])));
const opensAdmin = (path: string) => [`GET ${SITE}${path}: ${SITE}/admin 401 → ${SITE}/ 200 for everyone`];
const opened = [`opened high ${SITE}/`];

/** What a change lets in, and what is said of it; gateway/changes.full.test.ts tries it on an Envoy. */
export const CHANGES: readonly Row[] = [
  [
    "policies are swapped, so that what was denied is answered",
    strict,
    loose,
    {
      opened: [`GET ${SITE}/internal: ${SITE}/ 403 → ${SITE}/ 200 for everyone`],
      findings: [`actions-changed high ${SITE}/`],
      sentence: /now does something else/,
      verdict: /^Opens: `GET \/internal` from 198\.51\.100\.7: 403 → 200\./,
    },
  ],
  [
    "policies are swapped, so that what was answered is denied",
    loose,
    strict,
    {
      closed: [`GET ${SITE}/internal: ${SITE}/ 200 → ${SITE}/ 403`],
      findings: [`actions-changed medium ${SITE}/`],
    },
  ],
  [
    "an answer to everything is put before a denial",
    world(site(inbound(deny))),
    world(site(inbound(answer, deny))),
    { findings: [`actions-changed high ${SITE}/`], verdict: /^Opens: `GET \/internal` / },
  ],
  [
    "a denial becomes wider",
    denying("/internal"),
    denying("/int"),
    { findings: [`actions-changed medium ${SITE}/`] },
  ],
  [
    "a denial becomes narrower",
    denying("/int"),
    denying("/internal"),
    { among: [`deny-dropped high ${SITE}/`] },
  ],
  [
    "a route with tokens is deleted beside an open one",
    admin,
    world(site()),
    {
      opened: opensAdmin("/admin"),
      findings: opened,
      sentence: `\`${SITE}/admin\` is now served by the route \`/\`, which asks for no token.`,
      verdict: /^Opens: `GET \/admin` from 198\.51\.100\.7 without a token: 401 → 200\.$/,
    },
  ],
  [
    "a route with tokens is renamed beside an open one",
    admin,
    world(site(), route("/manage", token)),
    { opened: opensAdmin("/admin"), among: opened },
  ],
  [
    "the prefix of a route with tokens is made exact",
    admin,
    exact,
    {
      opened: opensAdmin("/admina"),
      among: opened,
      sentence: `\`${SITE}/admin\` is now served by the route \`/\`, which asks for no token, but for what \`${SITE} = /admin\` takes.`,
    },
  ],
  [
    "an exact route with tokens is deleted",
    exact,
    world(site()),
    {
      opened: [`GET ${SITE}/admin: ${SITE} = /admin 401 → ${SITE}/ 200 for everyone`],
      sentence: `\`${SITE} = /admin\` is now served by the route \`/\`, which asks for no token.`,
    },
  ],
  [
    "the only route is renamed, so that requests end",
    world(site({ match: "/admin", ...token })),
    world(site({ match: "/other", ...token })),
    { among: [`address-removed high ${SITE}/admin`] },
  ],
  [
    "a hostport with certificates is deleted beside an open wildcard",
    world(certain, wild, others),
    world(wild, others),
    {
      opened: ["GET a.w.test:443/: a.w.test:443 closed → *.w.test:443 answered for everyone"],
      findings: ["opened high *.w.test:443"],
      sentence: "`a.w.test:443` is now served by `*.w.test:443`, which asks for no client certificate.",
      verdict:
        /^Opens: a connection to `a.w.test:443` from 198\.51\.100\.7 without a client certificate: closed → answered\.$/,
    },
  ],
  [
    "a new route is weaker than what served its paths",
    world(site(token)),
    world(site(token), route("/api")),
    {
      opened: [`GET ${SITE}/api: ${SITE}/ 401 → ${SITE}/api 200 for everyone`],
      findings: [`opened high ${SITE}/api`],
      sentence: `\`${SITE}/api\` takes requests that the route \`/\` served before, and asks for no token.`,
    },
  ],
  [
    "a new hostport is weaker than the wildcard",
    world(serving("wild", "*.w.test:443", mutual("ca")), others),
    world(serving("wild", "*.w.test:443", mutual("ca")), others, serving("fresh", "a.w.test:443")),
    {
      opened: ["GET a.w.test:443/: *.w.test:443 closed → a.w.test:443 answered for everyone"],
      findings: ["opened high a.w.test:443"],
    },
  ],
  [
    "a new hostport shuts out callers of the wildcard",
    world(wild, others),
    world(wild, others, certain),
    {
      closed: ["GET a.w.test:443/: *.w.test:443 answered → a.w.test:443 closed"],
      findings: ["callers-refused medium a.w.test:443"],
      sentence:
        "`a.w.test:443` takes requests that `*.w.test:443` served before, and asks for a client certificate.",
    },
  ],
  [
    "a policy tests what no gateway can, so that the whole edge stops",
    twoRoutes,
    world(site(), route("/b", inbound([['req.cookies["a"] == "b"'], "deny"]))),
    { closed: stops, among: stopped, verdict: /^Opens nothing/ },
  ],
  [
    "a token is asked for in the body, so that the whole edge stops",
    twoRoutes,
    world(site(), route("/b", inBody)),
    {
      closed: stops,
      among: stopped,
      sentence:
        /^`www.example.com:443\/` no longer has anything to answer it: no gateway can serve the edge: .*body/,
    },
  ],
  [
    "a TLS edge leads to an answer of HTTP",
    world(edge(), agent, ok),
    world(toAnswer, agent, ok),
    {
      closed: ["GET app.example.com:443/: app.example.com:443 answered → app.example.com:443 closed"],
      among: ["traffic-stopped high app.example.com:443"],
    },
  ],
  [
    "gateways no longer listen at the port",
    world(site()),
    { ...world(site()), ports: [8443] },
    { closed: [`GET ${SITE}/: ${SITE}/ 200 → ${SITE}/ closed`], findings: [`traffic-stopped high ${SITE}/`] },
  ],
  [
    "a new address leads to nothing that answers",
    world(agent, ok),
    world(toAnswer, agent, ok),
    { findings: ["address-added low app.example.com:443"] },
  ],
  [
    "a new address is at a port where no gateway listens",
    world(agent),
    { ...world(agent, edge()), ports: [8443] },
    { findings: ["address-added low app.example.com:443"] },
  ],
  [
    "a lower version of TLS is taken",
    world(agent, edge({ tls_termination: { min_version: "1.3" } })),
    world(agent, edge({ tls_termination: { min_version: "1.2" } })),
    { findings: ["tls-lowered medium app.example.com:443"] },
  ],
  [
    "another user agent is let in",
    world(site({ user_agent_filter: { allow: ["^curl"], deny: [] } })),
    world(site({ user_agent_filter: { allow: ["^curl", "^Wget"], deny: [] } })),
    { findings: [`user-agents-changed medium ${SITE}/`] },
  ],
  [
    "an answer has another status",
    answering(200),
    answering(201),
    { moved: [`GET ${SITE}/: ${SITE}/ 200 → ${SITE}/ 201`] },
  ],
  [
    "an edge serves what nobody served",
    world(),
    world(site()),
    { opened: [`GET ${SITE}/: null closed → ${SITE}/ 200 for everyone, new`] },
  ],
  [
    "a new route asks for tokens where nobody served its paths",
    world(edgeOf, ok, route("/a")),
    world(edgeOf, ok, route("/a"), route("/b", token)),
    { opened: [`GET ${SITE}/b: ${SITE} 404 → ${SITE}/b 200, new`] },
  ],
];
