import { review, write } from "@tunnelplane/pulumi/review";
import { expect } from "chai";
import { certificate } from "../support/api/fixtures";
import { makeSshKey } from "../support/provider";
import { previewOf, step } from "./support";

type Inputs = Readonly<Record<string, unknown>>;

const KEYS = [makeSshKey(), makeSshKey()] as const;
const PEMS = [certificate({ name: "Clients" }).pem, certificate({ name: "Clients" }).pem] as const;
const STREAM = "arn:aws:kinesis:eu-central-1:123456789012:stream/events";

/** A route that signs users in and asks for a token. */
const route = (name: string, before: Inputs, after: Inputs): object[] => {
  const common = { edgeId: "id_of_site", match: `/${name}`, matchType: "path_prefix" };
  const site = { hostports: ["site.example.com:443"] };
  return [
    step("HttpsEdge", "site", { before: site, after: site }),
    step("HttpsEdgeRoute", name || "root", {
      before: { ...common, ...before },
      after: { ...common, ...after },
    }),
  ];
};

interface Tokens {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly keys: readonly string[];
}

const TOKENS: Tokens = {
  issuers: ["https://id.example.com"],
  audiences: ["api"],
  algorithms: ["ES256"],
  keys: ["https://id.example.com/keys"],
};

const tokens = (more: Partial<Tokens>): object[] => {
  const module = ({ issuers, audiences, algorithms, keys }: Tokens) => ({
    jwtValidation: {
      issuer: { allowList: issuers.map((value) => ({ value })) },
      audience: { allowList: audiences.map((value) => ({ value })) },
      http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
      jws: { allowedAlgorithms: algorithms, keys: { sources: { additionalJkus: keys } } },
    },
  });
  return route("api", module(TOKENS), module({ ...TOKENS, ...more }));
};

const signIn = (more: Inputs): object[] => {
  const oidc = {
    issuer: "https://id.example.com",
    clientId: "site",
    maximumDuration: 3600,
    inactivityTimeout: 600,
  };
  return route("app", { oidc }, { oidc: { ...oidc, ...more } });
};

const OFFICE = { ipRestriction: { ipPolicyIds: ["id_of_office"] } };

const office = (before: string, after = before): object[] => {
  const rule = { ipPolicyId: "id_of_office", action: "allow" };
  return [
    step("IpPolicy", "office", { before: {}, after: {} }),
    step("IpPolicyRule", "office", { before: { ...rule, cidr: before }, after: { ...rule, cidr: after } }),
  ];
};

/** A resource that is made anew, with the id that it gets. */
function replaced(type: string, name: string, before: Inputs, after: Inputs): object[] {
  const [old] = [step(type, name, { before, after })] as [{ urn: string; newState: object }];
  return [{ ...old, op: "replace", newState: { ...old.newState, id: `another_id_of_${name}` } }];
}

const ssh = {
  sshCertificateAuthorityId: "id_of_people",
  publicKey: KEYS[0],
  principals: ["ada"],
  validFor: "30d",
};

/** Changes that newcomers tried and reviewers let pass. This list grows. */
const CHANGES: readonly (readonly [
  what: string,
  steps: () => object[],
  rule: string,
  severity: string,
  says: readonly (string | RegExp)[],
])[] = [
  [
    "half of the Internet in place of the office",
    () => [...route("pages", OFFICE, OFFICE), ...office("10.0.0.0/8", "0.0.0.0/1")],
    "network-widened",
    "high",
    ["Networks | `10.0.0.0/8` | `0.0.0.0/1`"],
  ],
  [
    "a route without the network limit of the one above it",
    () => [
      ...route("", OFFICE, OFFICE),
      ...office("10.0.0.0/8"),
      step("HttpsEdgeRoute", "api", {
        after: { edgeId: "id_of_site", match: "/api", matchType: "path_prefix" },
      }),
    ],
    "opened",
    "high",
    ["`site.example.com:443/api` takes requests that the route `/` served", "no admitted network"],
  ],
  [
    "a wildcard hostport",
    () => {
      const hostports = ["site.example.com:443"];
      return [
        ...route("", {}, {}).slice(1),
        step("HttpsEdge", "site", {
          before: { hostports },
          after: { hostports: [...hostports, "*.example.com:443"] },
        }),
      ];
    },
    "opened-unprotected",
    "high",
    ["`*.example.com:443/` is new, and anybody may reach it"],
  ],
  [
    "`/admin` renamed beside an open `/`",
    () => {
      const signedIn = { oidc: { issuer: "https://id.example.com", clientId: "site" } };
      return [
        ...route("", {}, {}),
        ...route("admin", signedIn, { ...signedIn, match: "/administration" }).slice(1),
      ];
    },
    "opened",
    "high",
    ["`site.example.com:443/admin` is now served by the route `/`, which asks for no sign-in"],
  ],
  [
    "an issuer of tokens is added",
    () => tokens({ issuers: [...TOKENS.issuers, "https://evil.example"] }),
    "token-changed",
    "medium",
    ["https://evil.example"],
  ],
  [
    "an audience of tokens is added",
    () => tokens({ audiences: ["api", "everything"] }),
    "token-changed",
    "medium",
    ["everything"],
  ],
  [
    "an algorithm of tokens is added",
    () => tokens({ algorithms: ["ES256", "RS256"] }),
    "token-changed",
    "medium",
    ["RS256"],
  ],
  [
    "a key set of tokens is added",
    () => tokens({ keys: [...TOKENS.keys, "https://evil.example/keys"] }),
    "token-changed",
    "medium",
    ["https://evil.example/keys"],
  ],
  [
    "users sign in with another issuer",
    () => signIn({ issuer: "https://evil.example" }),
    "sign-in-changed",
    "medium",
    ["https://id.example.com", "https://evil.example"],
  ],
  [
    "OPTIONS requests pass without sign-in",
    () => signIn({ optionsPassthrough: true }),
    "sign-in-changed",
    "high",
    ["options_passthrough", "from false to true"],
  ],
  [
    "sessions have no end",
    () => signIn({ maximumDuration: 0, inactivityTimeout: 0 }),
    "sign-in-changed",
    "medium",
    ["`oidc.maximum_duration` from 3600 to 0", "`oidc.inactivity_timeout` from 600 to 0"],
  ],
  [
    "an authority is replaced by one of the same name",
    () => {
      const edge = {
        hostports: ["app.example.com:443"],
        mutualTls: { certificateAuthorityIds: ["id_of_clients"] },
      };
      return [
        step("CertificateAuthority", "clients", { before: { caPem: PEMS[0] }, after: { caPem: PEMS[1] } }),
        step("TlsEdge", "app", { before: edge, after: edge }),
      ];
    },
    "authority-added",
    "medium",
    [/`ca_pem` of `clients` from `\(PEM, hash [0-9a-f]+\)` to `\(PEM, hash [0-9a-f]+\)`/],
  ],
  [
    "a credential gets another owner",
    () =>
      replaced(
        "TunnelCredential",
        "agent",
        { acl: ["bind:a.example.com"], ownerId: "usr_ada" },
        { acl: ["bind:a.example.com"], ownerId: "usr_eve" },
      ),
    "owner-changed",
    "medium",
    ["usr_ada", "usr_eve"],
  ],
  [
    "the public key of a credential is exchanged",
    () =>
      replaced("SshCredential", "laptop", { acl: [], publicKey: KEYS[0] }, { acl: [], publicKey: KEYS[1] }),
    "key-replaced",
    "medium",
    [/`SHA256:.*\(before: `SHA256:/],
  ],
  [
    "a certificate lasts 5 years",
    () => replaced("SshUserCertificate", "ada", ssh, { ...ssh, validFor: "1825d" }),
    "validity-extended",
    "medium",
    ["1825 days (before: 30 days)"],
  ],
  [
    "a certificate is for root",
    () => replaced("SshUserCertificate", "ada", ssh, { ...ssh, principals: ["ada", "root"] }),
    "principal-added",
    "high",
    ["`root`"],
  ],
  [
    "a bot becomes an admin",
    () => replaced("BotUser", "ci", { name: "ci", role: "member" }, { name: "ci", role: "admin" }),
    "role-raised",
    "high",
    ["an admin", "before: member"],
  ],
  [
    "TLS that was passed through ends at the edge",
    () => {
      const edge = { hostports: ["app.example.com:443"] };
      return [
        step("TlsEdge", "app", {
          before: { ...edge, tlsTermination: { terminateAt: "upstream" } },
          after: edge,
        }),
      ];
    },
    "termination-moved",
    "medium",
    ["now ends at the edge", "reads the traffic"],
  ],
  [
    "events go to another place",
    () => {
      const to = (streamRef: string) => ({
        target: { streamService: { auth: { role: { roleRef: "arn" } }, streamRef } },
      });
      return [step("EventDestination", "audit", { before: to(STREAM), after: to(`${STREAM}-of-others`) })];
    },
    "destination-changed",
    "high",
    [STREAM, `${STREAM}-of-others`],
  ],
  [
    "events go to another site",
    () => {
      const to = (monitoringSite: string) => ({
        target: { monitoringService: { apiKey: "[secret]", monitoringSite } },
      });
      return [step("EventDestination", "audit", { before: to(""), after: to("datadoghq.eu") })];
    },
    "destination-changed",
    "high",
    ["datadoghq.eu"],
  ],
];

describe("Dangerous changes are named by the review, with the value that changed:", () => {
  for (const [what, steps, rule, severity, says] of CHANGES)
    it(what, () => {
      const report = review(previewOf(steps()));
      const finding = report.findings.find((one) => one.rule === rule);
      expect(finding?.severity, JSON.stringify(report.findings.map((one) => one.sentence))).to.equal(
        severity,
      );
      const shown = `${finding?.sentence}\n${write(report, "markdown")}`;
      for (const part of says) expect(shown).to.match(typeof part === "string" ? literally(part) : part);
      for (const format of ["markdown", "html", "json", "sarif"] as const)
        expect(write(report, format), format).to.include(rule);
      expect(write(report, "markdown")).not.to.include("will not notice");
    });
});

const literally = (text: string): RegExp => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
