import { review, write } from "@tunnelplane/pulumi/review";
import { certificate } from "../support/api/fixtures";
import { type Inputs, previewOf, step } from "./support";

const PEMS = [certificate({ name: "Clients" }).pem, certificate({ name: "Clients" }).pem] as const;

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

const signIn = (more: Inputs): object[] => {
  const oidc = {
    issuer: "https://id.example.com",
    clientId: "site",
    maximumDuration: 3600,
    inactivityTimeout: 600,
  };
  return route("app", { oidc }, { oidc: { ...oidc, ...more } });
};

/** Changes that newcomers tried and reviewers let pass; those that open are in unit/meaning/changes.ts. */
const CHANGES: readonly (readonly [
  what: string,
  steps: () => object[],
  rule: string,
  severity: string,
  says: readonly (string | RegExp)[],
])[] = [
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
