import { present } from "@tunnelplane/sdk/contract";
import { visible } from "@tunnelplane/sdk/node";
import type { Report, ReviewedFinding } from "./report";
import { SEVERITIES } from "./report";
import { causeWords, changedAspects, changeWords, countWords, verdictWords } from "./words";

/** Comments of GitHub and GitLab may be longer; the rest is for text that the recipes add. */
const MOST_CHARACTERS = 60_000;
/** Reserved for the end, which says what is left out. */
const ROOM_FOR_END = 6000;

/** Recipes find the comment to update by this line. */
const MARK = "<!-- tunnelplane-review -->";

/** The report as a comment on a pull request: the most important first, nothing folded away. */
export function markdownOf(report: Report): string {
  const body = new Body(MOST_CHARACTERS - ROOM_FOR_END);
  const { findings, standing, addresses, violations = [] } = report;
  body.add([MARK, `## Tunnels: ${countWords(report)}`, "", `**${prose(verdictWords(report))}**`, ""]);
  body.add([`This change: ${changeWords(report)}.`, ""]);
  if (findings.length === 0) body.add(["Callers and owners will not notice it.", ""]);
  for (const severity of SEVERITIES) {
    const open = findings.filter((finding) => finding.severity === severity && !finding.accepted);
    body.section(
      `### ${severity[0]?.toUpperCase()}${severity.slice(1)}`,
      open.map(item),
      `${severity} findings`,
    );
  }
  body.section(
    "### Accepted findings",
    findings.filter(({ accepted }) => accepted).map(item),
    "accepted findings",
  );
  body.section(
    "### Policies",
    violations.map(({ level, policy, message }) => `- ${prose(level)} ${code(policy)}: ${prose(message)}`),
    "violations",
  );
  body.section("### Addresses that change", addresses.map(addressTable), "addresses");
  body.section("### Standing findings", standing.map(item), "standing findings");
  body.finish(ending(report));
  return body.text;
}

class Body {
  text = "";
  readonly #leftOut: string[] = [];

  constructor(private readonly room: number) {}

  add(lines: readonly string[]): boolean {
    const text = visible(`${lines.join("\n")}\n`); // here, so that the room counts what is written
    if (this.text.length + text.length > this.room) return false;
    this.text += text;
    return true;
  }

  section(title: string, items: readonly string[], name: string): void {
    if (items.length === 0) return;
    let shown = 0;
    if (this.add([title, ""])) while (shown < items.length && this.add([present(items[shown])])) shown++;
    if (shown < items.length) this.#leftOut.push(`${items.length - shown} of ${items.length} ${name}`);
    this.add([""]);
  }

  finish(lines: readonly string[]): void {
    const cut =
      this.#leftOut.length > 0
        ? [
            `**Left out, because a comment holds no more: ${this.#leftOut.join(", ")}.** \`--format html\` has them all.`,
            "",
          ]
        : [];
    this.text += [...cut, ...lines, ""].join("\n");
  }
}

function item(finding: ReviewedFinding): string {
  const { at, place, remarks } = causeWords(finding);
  const details = [
    code(finding.rule),
    `from ${code(at)}${place && ` (${code(place)})`}`,
    ...remarks,
    `hash ${code(finding.hash)}`,
  ];
  return `- ${prose(finding.sentence)}  \n  ${details.join(" · ")}`;
}

function addressTable(change: Report["addresses"][number]): string {
  const { address, before, after, offStack } = change;
  const title = `${code(address)}${before ? "" : " is new"}${after ? "" : " is gone"}${offStack ? " (reached from another stack)" : ""}`;
  const rows = changedAspects(change).map(
    (aspect) => `| ${aspect.name} | ${cell(aspect.before)} | ${cell(aspect.after)} |`,
  );
  return rows.length === 0
    ? `${title}\n`
    : [title, "", "| | Before | After |", "|---|---|---|", ...rows, ""].join("\n");
}

const MOST_LIMITS = 10;
const MOST_LETTERS = 300;

function ending({ limits, hash }: Report): string[] {
  const shown = limits.slice(0, MOST_LIMITS).map((limit) => `- ${prose(limit.slice(0, MOST_LETTERS))}`);
  if (limits.length > MOST_LIMITS)
    shown.push(`- and ${limits.length - MOST_LIMITS} more, see \`--format json\``);
  return [
    ...(shown.length > 0 ? ["### Not seen", "", ...shown, ""] : []),
    `To accept all of this: \`--accept ${hash}\``,
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

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ");
