import { failing, type Report, review, write } from "@tunnelplane/pulumi/review";
import { expect } from "chai";
import { previewOf, step } from "./support";

type Inputs = Readonly<Record<string, unknown>>;

const SITE = "site.example.com:443";
const ok = step("HttpResponseBackend", "ok", { before: { statusCode: 200 }, after: { statusCode: 200 } });
const backend = { backendId: "id_of_ok" };
const site = step("HttpsEdge", "site", { before: { hostports: [SITE] }, after: { hostports: [SITE] } });
const token = {
  jwtValidation: {
    issuer: { allowList: [{ value: "https://issuer.test/" }] },
    audience: { allowList: [{ value: "api" }] },
    http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
    jws: {
      allowedAlgorithms: ["RS256"],
      keys: { sources: { additionalJkus: ["https://issuer.test/keys"] } },
    },
  },
};
const inBody = {
  jwtValidation: {
    ...token.jwtValidation,
    http: { tokens: [{ type: "jwt", method: "body", name: "token", prefix: "" }] },
  },
};
type Policy = readonly [expressions: readonly string[], type: string, config?: object];
const acts = (...inbound: readonly Policy[]) => ({
  policies: {
    inbound: inbound.map(([expressions, type, config = {}]) => ({
      name: "",
      expressions,
      actions: [{ type, config }],
    })),
  },
});
const deny: Policy = [['req.path.startsWith("/internal")'], "deny"];
const answer: Policy = [[], "custom-response", { status_code: 200, content: "hello" }];
const mutual = { mutualTls: { certificateAuthorityIds: ["id_of_clients"] } };
const clients = step("CertificateAuthority", "clients", { before: { caPem: "" }, after: { caPem: "" } });

interface Sides {
  readonly before?: Inputs;
  readonly after?: Inputs;
}

function route(match: string, { before, after }: Sides, matchType = "path_prefix"): object {
  const whole = (own: Inputs | undefined) =>
    own && { edgeId: "id_of_site", match, matchType, backend, ...own };
  return step("HttpsEdgeRoute", `${matchType} ${match}`, { before: whole(before), after: whole(after) });
}
const same = (inputs: Inputs): Sides => ({ before: inputs, after: inputs });

function edge(hostport: string, { before, after }: Sides): object {
  const whole = (own: Inputs | undefined) => own && { hostports: [hostport], ...own };
  return step("TlsEdge", hostport, { before: whole(before), after: whole(after) });
}

/** What is declared, and what the review says of it: rule, severity and sentence of its first finding. */
const CHANGES: readonly (readonly [
  change: string,
  steps: readonly object[],
  expected: readonly [rule: string, severity: string, sentence: RegExp],
  verdict: RegExp,
])[] = [
  [
    "two policies swapped",
    [route("/", { before: acts(deny, answer), after: acts(answer, deny) })],
    ["actions-changed", "high", /now does something else/],
    /^Opens: `GET \/internal` from 198\.51\.100\.7: 403 → 200\./,
  ],
  [
    "an unconditional answer put before a denial",
    [route("/", { before: acts(deny), after: acts(answer, deny) })],
    ["actions-changed", "high", /now does something else/],
    /^Opens: `GET \/internal` /,
  ],
  [
    "a route with tokens deleted beside an open one",
    [route("/", same({})), route("/admin", { before: token })],
    [
      "opened",
      "high",
      /^`site.example.com:443\/admin` is now served by the route `\/`, which asks for no token\.$/,
    ],
    /^Opens: `GET \/admin` from 198\.51\.100\.7 without a token: 401 → 200\./,
  ],
  [
    "a prefix made exact",
    [
      route("/", same({})),
      route("/admin", { before: token }),
      route("/admin", { after: token }, "exact_path"),
    ],
    ["opened", "high", /which asks for no token, but for what `site.example.com:443 = \/admin` takes\.$/],
    /^Opens: `GET \/admin.+` from/,
  ],
  [
    "an exact route deleted",
    [route("/", same({})), route("/admin", { before: token }, "exact_path")],
    ["opened", "high", /^`site.example.com:443 = \/admin` is now served by the route `\/`/],
    /^Opens: `GET \/admin`/,
  ],
  [
    "a hostport with certificates deleted beside an open wildcard",
    [clients, edge("a.w.test:443", { before: mutual }), edge("*.w.test:443", same({}))],
    [
      "opened",
      "high",
      /^`a.w.test:443` is now served by `\*.w.test:443`, which asks for no client certificate\.$/,
    ],
    /^Opens: a connection to `a.w.test:443` from 198\.51\.100\.7 without a client certificate: closed → answered\./,
  ],
  [
    "a new route weaker than what served it",
    [route("/", same(token)), route("/api", { after: {} })],
    [
      "opened",
      "high",
      /^`site.example.com:443\/api` takes requests that the route `\/` served before, and asks for no/,
    ],
    /^Opens: `GET \/api` from 198\.51\.100\.7 without a token: 401 → 200\./,
  ],
  [
    "a new hostport weaker than the wildcard",
    [clients, edge("*.w.test:443", same(mutual)), edge("a.w.test:443", { after: {} })],
    [
      "opened",
      "high",
      /^`a.w.test:443` takes requests that `\*.w.test:443` served before, and asks for no client/,
    ],
    /^Opens: a connection to `a.w.test:443`/,
  ],
  [
    "a new hostport that shuts out callers of the wildcard",
    [clients, edge("*.w.test:443", same({})), edge("a.w.test:443", { after: mutual })],
    ["callers-refused", "medium", /served before, and asks for a client certificate\.$/],
    /^Opens nothing \(proved over \d+ combinations at \d+ address(es)?\)\./,
  ],
  [
    "an expression that gateways refuse",
    [route("/", same({})), route("/b", { before: {}, after: acts([['req.cookies["a"] == "b"'], "deny"]) })],
    [
      "traffic-stopped",
      "high",
      /no longer has anything to answer it: no gateway can serve the edge: .*cookies/,
    ],
    /^Opens nothing/,
  ],
  [
    "a token in the body",
    [route("/", { before: {}, after: inBody })],
    ["traffic-stopped", "high", /no gateway can serve the edge: .*body/],
    /^Opens nothing/,
  ],
  [
    "a TLS edge that leads to an answer of HTTP",
    [edge("a.w.test:443", { before: {}, after: { backend } })],
    ["traffic-stopped", "high", /no gateway can serve the edge: .*answers with HTTP/],
    /^Opens nothing/,
  ],
];

describe("a review of what happens to requests", () => {
  for (const [change, steps, [rule, severity, sentence], verdict] of CHANGES)
    it(`says what ${change} does`, () => {
      const report: Report = review(previewOf([ok, site, ...steps]));
      const finding = report.findings.find((one) => one.rule === rule);
      expect(report.findings.map((one) => one.rule)).to.include(rule);
      expect(finding).to.include({ severity, proved: true });
      expect(finding?.sentence).to.match(sentence);
      expect(finding?.example).to.have.keys("request", "before", "after");
      expect(report.access.sentence).to.match(verdict);
      expect(report.findings.map((one) => one.rule)).not.to.include("address-removed");
      expect(failing(report)).to.have.length(report.findings.filter((one) => one.severity === "high").length);
      for (const format of ["markdown", "html"] as const)
        expect(write(report, format)).to.include(
          verdict.source.startsWith("^Opens nothing") ? "Opens nothing" : "Opens: ",
        );
    });
});
