import { review, write } from "@tunnelplane/pulumi/review";
import { expect } from "chai";
import { certificate } from "../support/api/fixtures";
import { makeSshKey } from "../support/provider";
import { type Inputs, previewOf, step, TOKENS, type Tokens, tokensOf } from "./support";

const PEMS = [certificate({ name: "Clients" }).pem, certificate({ name: "Clients" }).pem] as const;

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

const tokens = (more: Partial<Tokens>): object[] =>
  route("api", { jwtValidation: tokensOf() }, { jwtValidation: tokensOf(more) });

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
  publicKey: makeSshKey(),
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
  ...(
    [
      ["issuers", "https://evil.example"],
      ["audiences", "everything"],
      ["algorithms", "RS256"],
      ["keys", "https://evil.example/keys"],
    ] as const
  ).map(
    ([of, more]) =>
      [
        `one of the ${of} of tokens is added`,
        () => tokens({ [of]: [...TOKENS[of], more] }),
        "token-changed",
        "medium",
        [more],
      ] as const,
  ),
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
    ["`oidc.maximum_duration` from 3600 to no limit", "`oidc.inactivity_timeout` from 600 to no limit"],
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
    "a certificate is for root",
    () => replaced("SshUserCertificate", "ada", ssh, { ...ssh, principals: ["ada", "root"] }),
    "principal-added",
    "high",
    ["`root`"],
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
