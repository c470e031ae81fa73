import { RULES, type Severity } from "@tunnelplane/sdk/meaning";
import type { Report, ReviewedFinding } from "./report";
import { trafficWords } from "./trafficWords";
import { verdictWords } from "./words";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  high: "error",
  medium: "warning",
  low: "note",
};

/** The place of findings that have none in the program, because viewers drop findings without a place. */
const PROJECT_FILE = "Pulumi.yaml";

const DOCUMENTATION = "https://github.com/tunnelplane/tunnelplane/blob/main/docs/meaning.md#findings";

/** The findings in the Static Analysis Results Interchange Format, 2.1.0. */
export function sarifOf(report: Report): object {
  const { findings, hash, limits } = report;
  const notes = [verdictWords(report), trafficWords(report), ...limits].filter((text) => text !== "");
  const { version }: { version: string } = require("../../package.json");
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "tunnelplane-pulumi", version, rules: RULES.map(ruleOf) } },
        automationDetails: { id: "tunnelplane/review" },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: notes.map((text) => ({ level: "note", message: { text } })),
          },
        ],
        results: findings.map(resultOf),
        properties: { verdict: report.access.verdict, hash, traffic: countsIn(report) },
      },
    ],
  };
}

function countsIn({ traffic }: Report): object | undefined {
  if (!traffic) return undefined;
  const { requests, refused, opened, moved, unknown } = traffic;
  return { requests, refused, opened, moved, unknown };
}

const ruleOf = ({ rule, severity, description }: (typeof RULES)[number]): object => ({
  id: rule,
  shortDescription: { text: description },
  help: { text: `See ${DOCUMENTATION}` },
  defaultConfiguration: { level: LEVELS[severity] },
});

function resultOf({
  rule,
  severity,
  sentence,
  cause,
  hash,
  accepted,
  certain,
  offStack,
  address,
  example,
  proved,
}: ReviewedFinding): object {
  return {
    ruleId: rule,
    ruleIndex: RULES.findIndex((one) => one.rule === rule),
    level: LEVELS[severity],
    message: { text: sentence },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(cause.file ?? PROJECT_FILE) },
          region: { startLine: cause.line ?? 1 },
        },
        logicalLocations: [
          {
            name: cause.name,
            kind: cause.kind,
            ...(cause.urn !== undefined && { fullyQualifiedName: cause.urn }),
          },
        ],
      },
    ],
    partialFingerprints: { "tunnelplaneFinding/v1": hash },
    ...(accepted && { suppressions: [{ kind: "external", status: "accepted" }] }),
    properties: { certain, offStack, ...(address !== undefined && { address }), proved, example },
  };
}
