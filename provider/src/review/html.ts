import { present } from "@tunnelplane/sdk/contract";
import { addressGroups, findingGroups } from "./groups";
import { drawings, escaped, prose } from "./htmlDrawing";
import { SCRIPT, STYLE } from "./htmlParts";
import { type Report, type ReviewedFinding, SEVERITIES } from "./report";
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

/** The report as one HTML page that loads nothing else. */
export function htmlOf(report: Report): string {
  const { findings, hash } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>Tunnels: ${escaped(countText(report))}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Who can reach what, and what changes</h1>
<p class="verdict">${prose(verdictText(report))}</p>
<p>This change: ${escaped(changeText(report))}. ${escaped(noticeText(report))}</p>
${paragraph(trafficText(report))}</header>
${filters(report)}
<main>
<p id="nothing" hidden>Nothing here is of the chosen severities and holds that text.</p>
${sections(report)}</main>
<footer><p>${acceptText(findings)}: <code>--accept ${escaped(hash)}</code></p></footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** Everything between the filters and the foot, each part with its title. */
function sections(report: Report): string {
  const { findings, standing, guarantees, addresses, violations = [], limits } = report;
  const alike = addressGroups(report, (row) => [row.offStack, drawings(row.before, row.after), table(row)]);
  const locations = new Map(
    alike.flatMap((group, index) => group.map(({ address }) => [address, `address-${index + 1}`])),
  );
  const bySeverity = SEVERITIES.flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  );
  return `${section(
    "findings",
    "Findings",
    findingGroups(bySeverity).map((group) => findingItem(group, locations)),
    findings.length,
  )}
${section(
  "policies",
  "Policies",
  violations.map(
    ({ level, policy, message }) =>
      `<article data-text><p><span class="tag">${escaped(level)}</span> <code>${escaped(policy)}</code> ${prose(message)}</p></article>`,
  ),
)}
${section(
  "traffic",
  "Recorded traffic",
  trafficRows(report).map(
    ({ fate, text }) =>
      `<article data-text><p><span class="tag">${escaped(fate)}</span> ${prose(text)}</p></article>`,
  ),
)}
${section("guarantees", "Guarantees", guarantees.map(guaranteeRow))}
${section(
  "addresses",
  "Addresses that change",
  alike.map((group) => addressRow(group, locations, findings)),
  addresses.length,
)}
${section(
  "other",
  "Other fields that change",
  otherChanges(report).map(
    ({ kind, name, fields }) =>
      `<article data-text><p><code>${escaped(name)}</code> (${escaped(kind)}): ${prose(fieldText(fields))}</p></article>`,
  ),
)}
${section(
  "standing",
  "Standing findings",
  findingGroups(standing).map((group) => findingItem(group, locations)),
  standing.length,
)}
${section(
  "limits",
  "Not seen",
  limits.map((limit) => `<p>${prose(limit)}</p>`),
)}
`;
}

const paragraph = (text: string): string => (text === "" ? "" : `<p>${prose(text)}</p>\n`);

const filters = ({
  counts,
}: Report): string => `<form id="filters" aria-label="Filter" onsubmit="return false">
${SEVERITIES.map((severity) => `<label class="chip ${severity}"><input type="checkbox" name="${severity}" checked> ${severity} <b>${counts[severity]}</b></label>`).join("\n")}
<label class="search">Text <input type="search" name="text" placeholder="address, rule, name" autocomplete="off"></label>
<output id="shown" aria-live="polite"></output>
</form>`;

/** @param count of what the items are about */
const section = (id: string, title: string, items: readonly string[], count = items.length): string =>
  items.length === 0
    ? ""
    : `<section id="${id}"><h2>${title} <small>${count}</small></h2>\n${items.join("\n")}\n</section>`;

const tag = (text: string): string => ` <span class="tag">${escaped(text)}</span>`;

type Locations = ReadonlyMap<string, string>;

function findingItem(group: readonly ReviewedFinding[], locations: Locations): string {
  const first = present(group[0]);
  const { severity, rule, accepted } = first;
  const { location, remarks } = causeText({ ...first, offStack: group.some(({ offStack }) => offStack) });
  const tags = [...remarks, ...(accepted ? ["accepted"] : [])].map(tag).join("");
  const detail = (finding: ReviewedFinding) => {
    const row = locations.get(finding.address ?? "");
    const link = row ? ` · <a href="#${row}">before and after</a>` : "";
    return `from <code>${escaped(causeText(finding).at)}</code>${location && ` in <code>${escaped(location)}</code>`} · hash <code>${escaped(finding.hash)}</code>${link}`;
  };
  const count = group.length > 1 ? `<b>${group.length} findings</b>. The first: ` : "";
  const further = group.slice(1).map((finding) => `<p>${prose(finding.sentence)} ${detail(finding)}</p>`);
  return `<article class="finding ${severity}" data-severity="${severity}" data-text>
<p><span class="severity">${severity}</span> ${count}${prose(first.sentence)}${tags}</p>
<p class="detail"><code>${escaped(rule)}</code> ${detail(first)}</p>
${folded("The others", further)}</article>`;
}

const folded = (title: string, items: readonly string[]): string =>
  items.length === 0
    ? ""
    : `<details class="detail"><summary>${title}</summary>\n${items.join("\n")}\n</details>\n`;

function addressRow(
  group: Report["addresses"],
  locations: Locations,
  findings: readonly ReviewedFinding[],
): string {
  const first = present(group[0]);
  const { before, after, offStack } = first;
  const names = group.map(({ address }) => address);
  const isHere = new Set<string | undefined>(names);
  const found = findings.filter(({ address }) => isHere.has(address));
  const severities = SEVERITIES.filter((severity) => found.some((finding) => finding.severity === severity));
  const rules = [...new Map(found.map(({ rule, severity }) => [rule, severity]))];
  const marks = [
    ...rules.map(([rule, severity]) => `<span class="tag ${severity}">${escaped(rule)}</span>`),
    ...(before ? [] : [tag("new")]),
    ...(after ? [] : [tag("gone")]),
    ...(offStack ? [tag("reached from another stack")] : []),
  ];
  const listed = names.map((name) => `<code>${escaped(name)}</code>`);
  const title = names.length > 1 ? `${names.length} addresses` : listed[0];
  return `<article id="${locations.get(first.address)}" class="address ${severities[0] ?? ""}" data-severity="${severities.join(" ")}" data-text>
<h3>${title}</h3>
${names.length > 1 ? folded("Which", listed) : ""}<p class="marks">${marks.join(" ")}</p>
${drawings(before, after)}
${table(first)}
</article>`;
}

const guaranteeRow = ({ name, mode, sentence, before, after }: Report["guarantees"][number]): string =>
  `<article data-text>
<h3>${escaped(name)}${mode === "report" ? tag("report") : ""}</h3>
<p>${prose(sentence)}</p>
<table><thead><tr><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody><tr><td data-label="Before">${prose(stateText(before))}</td><td data-label="After">${prose(stateText(after))}</td></tr></tbody></table>
</article>`;

/** The aspects that differ; all of them if the address is new or removed. */
function table(change: Report["addresses"][number]): string {
  const sides = ([change.before && "Before", change.after && "After"] as const).filter(
    (side) => side !== null,
  );
  const rows = changedAspects(change).map((aspect) => {
    const cells = sides.map(
      (side) => `<td data-label="${side}">${cell(side === "Before" ? aspect.before : aspect.after)}</td>`,
    );
    return `<tr><th scope="row">${escaped(aspect.name)}</th>${cells.join("")}</tr>`;
  });
  if (rows.length === 0) return "";
  const heads = sides.map((side) => `<th scope="col">${side}</th>`).join("");
  return `<table><thead><tr><td></td>${heads}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

const cell = (text: string): string => (text === "" ? "–" : escaped(text));
