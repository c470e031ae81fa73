import { present } from "@tunnelplane/sdk/contract";
import { exampleText } from "@tunnelplane/sdk/meaning";
import { visible } from "@tunnelplane/sdk/node";
import { Comment, type Entry, type Section } from "./comment";
import { addressGroups, findingGroups } from "./groups";
import type { Report, ReviewedFinding } from "./report";
import { SEVERITIES } from "./report";
import {
  acceptText,
  causeText,
  changedAspects,
  changeText,
  countText,
  fieldText,
  noticeText,
  otherChanges,
  stateText,
  verdictText,
} from "./reviewTexts";
import { trafficRows, trafficText } from "./trafficText";

/** Comments of GitHub and GitLab may be longer; the rest is for text that the recipes add. */
const MAX_CHARACTERS = 60_000;
/** Reserved for the end, which says what is left out. */
const ROOM_FOR_END = 6000;

/** Recipes find the comment to update by this line. */
const MARK = "<!-- tunnelplane-review -->";

/** The report as a comment on a pull request: the most important first, nothing folded away. */
export function markdownOf(report: Report): string {
  const { findings, standing, guarantees, violations = [] } = report;
  const traffic = report.traffic ? [prose(trafficText(report)), ""] : [];
  const head = visible(
    `${[MARK, `## Tunnels: ${countText(report)}`, "", `**${prose(verdictText(report))}**`, "", `This change: ${changeText(report)}. ${noticeText(report)}`.trim(), "", ...traffic].join("\n")}\n`,
  );
  const sections: Section[] = [
    ...SEVERITIES.map((severity) => ({
      title: `### ${severity[0]?.toUpperCase()}${severity.slice(1)}`,
      name: `${severity} findings`,
      entries: entriesOf(findings.filter((finding) => finding.severity === severity && !finding.accepted)),
    })),
    {
      title: "### Accepted findings",
      name: "accepted findings",
      entries: entriesOf(findings.filter(({ accepted }) => accepted)),
    },
    {
      title: "### Policies",
      name: "violations",
      entries: violations.map(({ level, policy, message }) => ({
        text: `- ${prose(level)} ${code(policy)}: ${prose(message)}`,
      })),
    },
    {
      title: "### Recorded traffic",
      name: "causes in recorded traffic",
      head: "| Requests | The first of them, or why |\n|---|---|\n",
      entries: trafficRows(report).map(({ fate, text }) => ({ text: `| ${fate} | ${proseCell(text)} |` })),
    },
    {
      title: "### Guarantees",
      name: "guarantees",
      head: "| | Must hold | Before | After |\n|---|---|---|---|\n",
      entries: guaranteesInOrder(guarantees).map(({ name, sentence, before, after }) => ({
        text: `| ${[code(name), ...[sentence, stateText(before), stateText(after)].map(proseCell)].join(" | ")} |`,
      })),
    },
    {
      title: "### Addresses that change",
      name: "addresses",
      entries: addressEntries(report),
    },
    {
      title: "### Other fields that change",
      name: "changes with other fields",
      entries: otherChanges(report).map(({ kind, name, fields }) => ({
        text: `- ${code(name)} (${kind}): ${prose(fieldText(fields))}`,
      })),
    },
    { title: "### Standing findings", name: "standing findings", entries: entriesOf(standing) },
  ];
  const body = new Comment(sections, MAX_CHARACTERS - ROOM_FOR_END - head.length);
  const cut =
    body.leftOut.length > 0
      ? [
          `**Left out, because a comment holds no more: ${body.leftOut.join(", ")}.** \`--format html\` has them all.`,
          "",
        ]
      : [];
  return head + body.text + [...cut, ...ending(report), ""].join("\n");
}

/** One for all findings of one rule and one cause. */
const entriesOf = (findings: readonly ReviewedFinding[]): Entry[] =>
  findingGroups(findings).map((group) => ({
    text: item(group),
    count: group.length,
    rule: present(group[0]).rule,
  }));

/** Sorted: first the guarantees that break, last those that hold as before. */
const guaranteesInOrder = (guarantees: Report["guarantees"]): Report["guarantees"][number][] =>
  guarantees.toSorted((a, b) => weightOf(a) - weightOf(b));

function weightOf({ before, after }: Report["guarantees"][number]): number {
  const isSame = before?.state === after?.state;
  const states = ["broken", "unproved", undefined, "holds"];
  return states.indexOf(after?.state) + (isSame ? states.length : 0);
}

/** One for all addresses with the same table. */
const addressEntries = (report: Report): Entry[] =>
  addressGroups(report, (row) => [addressRemarks(row, 1), addressTable(row)]).map((group) => {
    const [first] = group;
    const names = named(group.map(({ address }) => address));
    const title = group.length > 1 ? `**${group.length} addresses**: ${names}` : names;
    return {
      text: `${title}${addressRemarks(present(first), group.length)}\n${addressTable(present(first))}`,
      count: group.length,
    };
  });

/** How many addresses and hashes are named for several findings of one cause. */
const MAX_ADDRESSES = 5;

const named = (texts: readonly string[]): string =>
  texts.length > MAX_ADDRESSES
    ? `${texts.slice(0, MAX_ADDRESSES).map(code).join(", ")} and ${texts.length - MAX_ADDRESSES} others`
    : texts.map(code).join(", ");

function item(group: readonly ReviewedFinding[]): string {
  const first = present(group[0]);
  const { location, remarks } = causeText({ ...first, offStack: group.some(({ offStack }) => offStack) });
  const causes = [...new Set(group.map((finding) => causeText(finding).at))];
  const { example } = first;
  const shownExample = example && (example.sentence ?? exampleText(example));
  const details = [
    code(first.rule),
    `from ${named(causes)}${location && ` (${code(location)})`}`,
    ...remarks,
    ...(shownExample !== undefined && !first.sentence.includes(shownExample)
      ? [`example: ${prose(shownExample)}`]
      : []),
    `${group.length > 1 ? "hashes" : "hash"} ${named(group.map(({ hash }) => hash))}`,
  ];
  const affected = [...new Set(group.map(({ address, name }) => address ?? name))];
  const count = group.length > 1 ? `**${group.length} findings**, at ${named(affected)}. The first: ` : "";
  return `- ${count}${prose(first.sentence)}  \n  ${details.join(" · ")}`;
}

function addressRemarks({ before, after, offStack }: Report["addresses"][number], count: number): string {
  const is = count > 1 ? "are" : "is";
  return `${before ? "" : ` ${is} new`}${after ? "" : ` ${is} gone`}${offStack ? " (reached from another stack)" : ""}`;
}

function addressTable(change: Report["addresses"][number]): string {
  const rows = changedAspects(change).map(
    (aspect) => `| ${aspect.name} | ${cell(aspect.before)} | ${cell(aspect.after)} |`,
  );
  return rows.length === 0 ? "" : ["", "| | Before | After |", "|---|---|---|", ...rows, ""].join("\n");
}

const MAX_LIMITS = 10;
const MAX_LETTERS = 300;

function ending({ limits, hash, findings }: Report): string[] {
  const shown = limits.slice(0, MAX_LIMITS).map((limit) => `- ${prose(limit.slice(0, MAX_LETTERS))}`);
  if (limits.length > MAX_LIMITS)
    shown.push(`- and ${limits.length - MAX_LIMITS} more, see \`--format json\``);
  return [
    ...(shown.length > 0 ? ["### Not seen", "", ...shown, ""] : []),
    `${acceptText(findings)}: \`--accept ${hash}\``,
  ];
}

/** Escapes a text, so that it contains no link, mention, markup or table. */
const prose = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) =>
      index % 2 === 1
        ? code(part.slice(1, -1))
        : oneLine(part).replace(/[\\*_[\]<>|#~@!&]/g, (sign) => `&#${sign.codePointAt(0)};`),
    )
    .join("");

const code = (text: string): string => `\`${oneLine(text).replace(/`/g, "'")}\``;

const cell = (text: string): string => (text === "" ? "–" : code(text).replaceAll("|", "\\|"));

const proseCell = (text: string): string => prose(text).replaceAll("|", "\\|");

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ");
