import { present } from "@tunnelplane/sdk/contract";
import type { Exposure } from "@tunnelplane/sdk/meaning";
import { SCRIPT, STYLE } from "./htmlParts";
import { type Report, type ReviewedFinding, SEVERITIES } from "./report";
import { causeWords, changedAspects, changeWords, countWords, pathOf } from "./words";

/** The report as one page that loads nothing. */
export function htmlOf(report: Report): string {
  const { findings, standing, addresses, violations = [], limits, hash } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>Tunnels: ${escaped(countWords(report))}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Who can reach what: ${escaped(countWords(report))}</h1>
<p>This change: ${escaped(changeWords(report))}. ${findings.length === 0 ? "Callers and owners will notice nothing of it." : ""}</p>
</header>
${filters()}
<main>
${section(
  "findings",
  "Findings",
  SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity).map(findingItem)),
)}
${section(
  "policies",
  "Policies",
  violations.map(
    ({ level, policy, message }) =>
      `<article data-text><p>${escaped(level)} <code>${escaped(policy)}</code>: ${escaped(message)}</p></article>`,
  ),
)}
${section("addresses", "Addresses that change", addresses.map(addressRow))}
${section("standing", "True before, and still", standing.map(findingItem))}
${section(
  "limits",
  "Not seen",
  limits.map((limit) => `<p>${prose(limit)}</p>`),
)}
</main>
<footer><p>To accept all of this: <code>--accept ${escaped(hash)}</code></p></footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

const filters = (): string => `<form id="filters" aria-label="Filter" onsubmit="return false">
${SEVERITIES.map((severity) => `<label><input type="checkbox" name="${severity}" checked> ${severity}</label>`).join("\n")}
<label class="search">Text <input type="search" name="text" placeholder="address, rule, name" autocomplete="off"></label>
<output id="shown" aria-live="polite"></output>
</form>`;

const section = (id: string, title: string, items: readonly string[]): string =>
  items.length === 0 ? "" : `<section id="${id}"><h2>${title} <small>${items.length}</small></h2>\n${items.join("\n")}\n</section>`;

function findingItem(finding: ReviewedFinding): string {
  const { severity, rule, sentence, hash, accepted } = finding;
  const { at, place, remarks } = causeWords(finding);
  const tags = [...remarks, ...(accepted ? ["accepted"] : [])].map((tag) => ` <span class="tag">${escaped(tag)}</span>`).join("");
  return `<article class="finding ${severity}" data-severity="${severity}" data-text>
<p><span class="severity">${severity}</span> ${prose(sentence)}${tags}</p>
<p class="detail"><code>${escaped(rule)}</code> from <code>${escaped(at)}</code>${place && ` in <code>${escaped(place)}</code>`}, hash <code>${escaped(hash)}</code></p>
</article>`;
}

function addressRow(change: Report["addresses"][number]): string {
  const { address, before, after, offStack } = change;
  const state = `${before ? "" : ' <span class="tag">new</span>'}${after ? "" : ' <span class="tag">gone</span>'}${offStack ? ' <span class="tag">reached from another stack</span>' : ""}`;
  const rows = changedAspects(change).map(
    (aspect) =>
      `<tr><th scope="row">${escaped(aspect.name)}</th><td data-label="Before">${cell(aspect.before)}</td><td data-label="After">${cell(aspect.after)}</td></tr>`,
  );
  const table =
    rows.length === 0
      ? ""
      : `<table><thead><tr><td></td><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
  return `<article class="address" data-text>
<h3><code>${escaped(address)}</code>${state}</h3>
<div class="paths">${drawing("Before", before)}${drawing("After", after)}</div>
${table}
</article>`;
}

const cell = (text: string): string => (text === "" ? "–" : escaped(text));

const BOX = { width: 150, height: 64, gap: 30 };

/** The path of traffic: who → checks → where to. */
function drawing(title: string, exposure: Exposure | null): string {
  if (!exposure) return `<figure><figcaption>${title}</figcaption><p class="none">Nobody serves it</p></figure>`;
  const { who, checks, to } = pathOf(exposure);
  const asked = checks.length > 0 ? checks.join(", ") : "nothing is asked";
  const boxes: [kind: string, text: string][] = [
    ["who", who],
    [checks.length > 0 ? "checks" : "open", asked],
    ["to", to],
  ];
  const step = BOX.width + BOX.gap;
  const shapes = boxes.map(([kind, text], index) => {
    const x = 1 + index * step;
    const arrow = index === 0 ? "" : `<path class="arrow" d="M${x - BOX.gap + 2} ${BOX.height / 2}H${x - 4}m-6 -5l6 5l-6 5"/>`;
    return `${arrow}<rect class="${kind}" x="${x}" y="1" width="${BOX.width}" height="${BOX.height}" rx="8"/>${words(text, x + BOX.width / 2)}`;
  });
  const said = `${title}: ${who}, then ${asked}, then ${to}`;
  return `<figure><figcaption>${title}</figcaption><svg viewBox="0 0 ${3 * step - BOX.gap + 2} ${BOX.height + 2}" role="img" aria-label="${escaped(said)}"><title>${escaped(said)}</title>${shapes.join("")}</svg></figure>`;
}

const LETTERS_OF_LINE = 22;
const MOST_LINES = 3;

/** A text in the middle of a box, on a few lines; the title has all of it. */
function words(text: string, x: number): string {
  const lines: string[] = [];
  for (const word of text.split(" ").flatMap((one) => one.match(/.{1,22}/gsu) ?? [])) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < LETTERS_OF_LINE) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  const shown =
    lines.length > MOST_LINES
      ? [...lines.slice(0, MOST_LINES - 1), `${(lines[MOST_LINES - 1] ?? "").slice(0, LETTERS_OF_LINE - 1)}…`]
      : lines;
  const top = BOX.height / 2 + 5 - (shown.length - 1) * 8;
  return `<text text-anchor="middle">${shown.map((line, index) => `<tspan x="${x}" y="${top + index * 16}">${escaped(line)}</tspan>`).join("")}</text>`;
}

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => present(SIGNS[sign]));

/** Words in backticks are names. */
const prose = (text: string): string =>
  text
    .split(/`([^`]*)`/)
    .map((part, index) => (index % 2 === 1 ? `<code>${escaped(part)}</code>` : escaped(part)))
    .join("");
