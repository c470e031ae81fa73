import { present } from "@tunnelplane/sdk/contract";
import { RULES, type Severity } from "@tunnelplane/sdk/meaning";
import { findingGroups } from "./groups";
import type { Report, ReviewedFinding } from "./report";
import { verdictText } from "./reviewTexts";
import { trafficText } from "./trafficText";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  high: "error",
  medium: "warning",
  low: "note",
};

/**
 * The location of findings that have none in the program, because viewers drop findings without a location.
 */
const PROJECT_FILE = "Pulumi.yaml";

const DOCUMENTATION = "https://github.com/tunnelplane/tunnelplane/blob/main/docs/meaning.md#findings";

/** The findings in the Static Analysis Results Interchange Format, 2.1.0. */
export function sarifOf(report: Report): object {
  const { findings, hash, limits } = report;
  const notes = [verdictText(report), trafficText(report), ...limits].filter((text) => text !== "");
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
        results: findingGroups(findings).map(resultOf),
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

/** One for all findings of one rule and one cause. */
function resultOf(group: readonly ReviewedFinding[]): object {
  const { rule, severity, sentence, cause, hash, accepted, certain, address, example, proved } = present(
    group[0],
  );
  const names = new Map(group.map((finding) => [finding.cause.urn ?? finding.cause.name, finding.cause]));
  return {
    ruleId: rule,
    ruleIndex: RULES.findIndex((entry) => entry.rule === rule),
    level: LEVELS[severity],
    message: { text: group.length > 1 ? `${group.length} findings. The first: ${sentence}` : sentence },
    occurrenceCount: group.length,
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(cause.file ?? PROJECT_FILE) },
          region: { startLine: cause.line ?? 1 },
        },
        logicalLocations: [...names.values()].map(({ name, kind, urn }) => ({
          name,
          kind,
          ...(urn !== undefined && { fullyQualifiedName: urn }),
        })),
      },
    ],
    partialFingerprints: { "tunnelplaneFinding/v1": hash },
    ...(accepted && { suppressions: [{ kind: "external", status: "accepted" }] }),
    properties: {
      ...{ certain, offStack: group.some(({ offStack }) => offStack) },
      ...(address !== undefined && { address }),
      ...(group.length > 1 && { all: group.map(({ sentence, hash }) => ({ sentence, hash })) }),
      ...{ proved, example },
    },
  };
}
