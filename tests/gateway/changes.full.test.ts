import { compare, compareAccess, decisions, type World } from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import { trialOfThisFile } from "../support/trial";
import {
  authority,
  backend,
  enabled,
  fixed,
  httpsEdge,
  inbound,
  jwt,
  policy,
  refs,
  route,
  rule,
  tlsEdge,
  to,
} from "./worlds";

type Objects = readonly { readonly kind: string; readonly fields: object }[];

/** A status, or a connection that ends before HTTP. */
type Did = number | "closed";

interface Change {
  readonly before: Objects;
  readonly after: Objects;
  /** Besides an address and a source. */
  readonly request?: object;
  readonly did: readonly [before: Did, after: Did];
  /** The rule and severity of what the review says of it. */
  readonly finding: string;
  /** What the comparison of both worlds finds. */
  readonly access: readonly ("opened" | "closed" | "moved")[];
  readonly ports?: readonly number[];
}

const NAME = "app.w.test";
const ID = "https://id.example.com";
const web = to("bkdsc_web");
const root = route({ backend: web });
const token = jwt();
const mutual = enabled({ certificate_authorities: refs("ca_a") });
const termination = (terminate_at: string) =>
  enabled({ terminate_at, min_version: terminate_at === "edge" ? "1.2" : null });

const site = (...routes: object[]): Objects => [httpsEdge({ hostports: [`${NAME}:443`], routes })];
const admin = (fields: object = {}) =>
  route({ id: "edghtsrt_admin", match: "/admin", backend: web, jwt_validation: token, ...fields });
const named = (id: string, host: string, fields: object = {}) =>
  httpsEdge({
    id,
    hostports: [`${host}:443`],
    routes: [route({ id: `${id}_root`, backend: web })],
    ...fields,
  });
const policies = (...all: object[]): Objects => site(route({ backend: web, policies: inbound(...all) }));
const deny = policy([], ["deny"]);
const answer = policy([], ["custom-response", { status_code: 200, content: "hello" }]);
const elsewhere = (location: string) =>
  policies(policy([], ["custom-response", { status_code: 302, headers: { location } }]));
const office = enabled({ ip_policies: refs("ipp_office") });
const from = (cidr: string): Objects => [
  ...site(route({ backend: web, ip_restriction: office })),
  rule("ipp_office", "allow", cidr),
];
const checked = (jws: object, jku?: string): Objects =>
  site(route({ backend: web, jwt_validation: jwt(jws, jku) }));
const signed = (algorithm: string) => ({
  token: {
    issuer: ID,
    audiences: ["api"],
    algorithm,
    keys: `${ID}/jwks`,
    at: { method: "header", name: "Authorization", prefix: "Bearer " },
  },
});
const tcp = (fields: object): Objects => [
  tlsEdge({ hostports: [`${NAME}:443`], backend: web, ...fields }),
  backend("http_response", "bkdhr_ok", { status_code: 200, body: "ok", headers: {} }),
];

const CHANGES: Readonly<Record<string, Change>> = {
  "two policies of a route are swapped": {
    before: policies(deny, answer),
    after: policies(answer, deny),
    did: [403, 200],
    finding: "actions-changed high",
    access: ["opened"],
  },
  "an answer to everybody is put before a denial": {
    before: policies(deny),
    after: policies(answer, deny),
    did: [403, 200],
    finding: "actions-changed high",
    access: ["opened"],
  },
  "a route that asks for tokens is deleted beside an open one": {
    before: site(root, admin()),
    after: site(root),
    request: { path: "/admin" },
    did: [401, 200],
    finding: "opened high",
    access: ["opened"],
  },
  "a route that asks for tokens takes a whole path in place of a prefix": {
    before: site(root, admin()),
    after: site(root, admin({ match_type: "exact_path" })),
    request: { path: "/admin/users" },
    did: [401, 200],
    finding: "opened high",
    access: ["opened"],
  },
  "a whole path that asks for tokens is deleted": {
    before: site(root, admin({ match_type: "exact_path" })),
    after: site(root),
    request: { path: "/admin" },
    did: [401, 200],
    finding: "opened high",
    access: ["opened"],
  },
  "a route that asks for tokens gets another path": {
    before: site(root, admin()),
    after: site(root, admin({ match: "/administration" })),
    request: { path: "/admin" },
    did: [401, 200],
    finding: "opened high",
    access: ["opened"],
  },
  "a hostport that asks for certificates is deleted beside an open wildcard": {
    before: [named("edghts_1", NAME, { mutual_tls: mutual }), named("edghts_2", "*.w.test")],
    after: [named("edghts_2", "*.w.test")],
    did: ["closed", 200],
    finding: "opened high",
    access: ["opened"],
  },
  "a new route asks for less than the one that served its path": {
    before: site(route({ backend: web, jwt_validation: token })),
    after: site(
      route({ backend: web, jwt_validation: token }),
      route({ id: "edghtsrt_api", match: "/api", backend: web }),
    ),
    request: { path: "/api" },
    did: [401, 200],
    finding: "opened high",
    access: ["opened"],
  },
  "a new hostport asks for less than the wildcard that served it": {
    before: [named("edghts_2", "*.w.test", { mutual_tls: mutual })],
    after: [named("edghts_2", "*.w.test", { mutual_tls: mutual }), named("edghts_1", NAME)],
    did: ["closed", 200],
    finding: "opened high",
    access: ["opened"],
  },
  "a new hostport shuts out who has a certificate for the wildcard": {
    before: [named("edghts_2", "*.w.test", { mutual_tls: mutual })],
    after: [
      named("edghts_2", "*.w.test", { mutual_tls: mutual }),
      named("edghts_1", NAME, { mutual_tls: enabled({ certificate_authorities: refs("ca_b") }) }),
    ],
    request: { client_certificate: { authority: "ca_a" } },
    did: [200, "closed"],
    finding: "callers-refused medium",
    access: ["opened", "closed"],
  },
  "an expression is one that gateways cannot evaluate": {
    before: policies(policy(['req.method == "PUT"'], ["deny"])),
    after: policies(policy(["size(req.path) > 3"], ["deny"])),
    did: [200, "closed"],
    finding: "traffic-stopped high",
    access: ["closed"],
  },
  "a token is looked for in the body": {
    before: checked({}),
    after: checked({ http: { tokens: [{ type: "jwt", method: "body", name: "token", prefix: "" }] } }),
    request: signed("RS256"),
    did: [200, "closed"],
    finding: "traffic-stopped high",
    access: ["closed"],
  },
  "a TLS edge goes to an answer of HTTP": {
    before: tcp({}),
    after: tcp({ backend: to("bkdhr_ok") }),
    did: [200, "closed"],
    finding: "traffic-stopped high",
    access: ["closed"],
  },
  "a hostport names a port that no gateway listens for": {
    before: [named("edghts_1", NAME)],
    after: [named("edghts_1", NAME, { hostports: [`${NAME}:8443`] })],
    did: [200, "closed"],
    finding: "address-removed high",
    access: ["closed"],
    ports: [443],
  },
  "TLS ends at the edge, and no more behind it": {
    before: tcp({ tls_termination: termination("upstream") }),
    after: tcp({ tls_termination: termination("edge") }),
    did: [200, 200],
    finding: "termination-moved medium",
    access: [],
  },
  "TLS ends upstream, where certificates were asked for": {
    before: tcp({ mutual_tls: mutual }),
    after: tcp({ tls_termination: termination("upstream") }),
    did: ["closed", 200],
    finding: "client-certificate-dropped high",
    access: ["opened"],
  },
  "TLS ends upstream, and certificates are asked for as before": {
    before: tcp({ mutual_tls: mutual }),
    after: tcp({ mutual_tls: mutual, tls_termination: termination("upstream") }),
    request: { client_certificate: { authority: "ca_a" } },
    did: [200, "closed"],
    finding: "traffic-stopped high",
    access: ["closed"],
  },
  "a network becomes half of the Internet": {
    before: from("10.0.0.0/8"),
    after: from("0.0.0.0/1"),
    did: [403, 200],
    finding: "network-widened high",
    access: ["opened"],
  },
  "tokens are checked with another key set": {
    before: checked({}),
    after: checked({}, "https://other.example.com/jwks"),
    request: signed("RS256"),
    did: [200, 401],
    finding: "token-changed medium",
    access: ["opened", "closed"],
  },
  "tokens are signed by another algorithm": {
    before: checked({}),
    after: checked({
      jws: { allowed_algorithms: ["ES256"], keys: { sources: { additional_jkus: [`${ID}/jwks`] } } },
    }),
    request: signed("ES256"),
    did: [403, 200],
    finding: "token-changed medium",
    access: ["opened", "closed"],
  },
  "an answer leads to another site": {
    before: elsewhere("https://one.example.com/"),
    after: elsewhere("https://two.example.com/"),
    did: [302, 302],
    finding: "actions-changed medium",
    access: [],
  },
};

const KINDS = ["opened", "closed", "moved"] as const;

describe("Envoy does before and after a change what the decision says, where", () => {
  const trial = trialOfThisFile();

  for (const [what, { before, after, request, did, finding, access, ports }] of Object.entries(CHANGES))
    it(`${what}: ${did.join(" → ")}`, async () => {
      const [was, is] = [worldOf(before, ports), worldOf(after, ports)];
      const asked = { address: `${NAME}:443`, from: "100.64.0.7", ...request };
      const { verdict, ...changes } = compareAccess(was, is);
      expect(changes.unproved).to.deep.equal([]);
      expect(KINDS.filter((kind) => changes[kind].length > 0)).to.deep.equal(access);
      expect(verdict).to.equal(access.includes("opened") ? "opens" : "opens nothing");
      const { findings } = compare(was, is);
      expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).to.include(finding);
      const found = [...KINDS.flatMap((kind) => changes[kind]), ...findings];
      // Envoy also does with the examples of the comparison and of the findings what they say.
      const requests = [asked, ...found.flatMap(({ example }) => example?.request ?? [])];
      const answers = [];
      for (const world of [was, is]) {
        await trial.now.serve(world);
        const decider = decisions(world);
        for (const one of requests) {
          const [said, answer] = [decider.decide(one), await trial.now.ask(one)];
          expect(trial.now.agrees(said, answer), JSON.stringify({ one, said, answer })).to.equal(true);
          if (one === asked) answers.push(answer.status ?? "closed");
        }
      }
      expect(answers).to.deep.equal(did);
    });
});

const COMMON: Objects = [
  fixed("bkdsc_web", "10.0.0.7:8080"),
  authority("ca_a", "-----BEGIN a"),
  authority("ca_b", "-----BEGIN b"),
  { kind: "ip_policy", fields: { id: "ipp_office" } },
];

const worldOf = (objects: Objects, ports?: readonly number[]): World => ({
  objects: [...objects, ...COMMON].map(({ kind, fields }) => {
    const { id } = fields as { id: string };
    return { kind, id, name: id, fields };
  }),
  ...(ports && { ports }),
});
