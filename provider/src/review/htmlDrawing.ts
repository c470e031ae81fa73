import type { Exposure } from "@tunnelplane/sdk/meaning";
import { pathOf } from "./reviewTexts";

const SIGNS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text that cannot become markup. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);

/** Words in backticks are names. */
export const prose = (text: string): string =>
  text
    .split(/`([^`]*)`/)
    .map((part, index) => (index % 2 === 1 ? `<code>${escaped(part)}</code>` : escaped(part)))
    .join("");

/**
 * Sizes in pixels; the style sheet puts the boxes beside each other, or below each other where there is
 * little room.
 */
export const BOX = { width: 152, height: 82, gap: 28 } as const;

type Part = "who" | "checks" | "to";

interface Box {
  readonly part: Part;
  readonly text: string;
  /** Nothing is asked of callers. */
  readonly open: boolean;
}

function boxesOf(exposure: Exposure): Box[] {
  const { who, checks, to } = pathOf(exposure);
  return [
    { part: "who", text: who, open: false },
    {
      part: "checks",
      text: checks.length > 0 ? checks.join(", ") : "nothing is asked",
      open: checks.length === 0,
    },
    { part: "to", text: to, open: false },
  ];
}

/** The path to an address before and after: who → checks → where to; differences are marked. */
export function drawings(before: Exposure | null, after: Exposure | null): string {
  const [was, is] = [before && boxesOf(before), after && boxesOf(after)];
  const changed = new Set(
    was && is ? is.filter(({ text }, index) => text !== was[index]?.text).map(({ part }) => part) : [],
  );
  return `<div class="paths">${drawing("Before", was, changed)}${drawing("After", is, changed)}</div>`;
}

function drawing(
  title: "Before" | "After",
  boxes: readonly Box[] | null,
  changed: ReadonlySet<Part>,
): string {
  const caption = `<figcaption>${title}</figcaption>`;
  if (!boxes) return `<figure>${caption}<p class="none">Nobody serves it.</p></figure>`;
  const label = escaped(`${title}: ${boxes.map(({ text }) => text).join(", then ")}`);
  const steps = boxes.map(({ part, text, open }, index) => {
    const kind = [part, open ? "open" : "", changed.has(part) ? "changed" : ""].filter(Boolean).join(" ");
    const arrow = index === 0 ? "" : `<path class="arrow" d="M-${BOX.gap - 3} 0H-3m-6 -5l6 5l-6 5"/>`;
    return `<g class="s${index}">${arrow}<rect class="${kind}" x="1" y="1" width="${BOX.width - 2}" height="${BOX.height - 2}" rx="8"/>${lines(text)}</g>`;
  });
  return `<figure class="${title.toLowerCase()}">${caption}<svg role="img" aria-label="${label}"><title>${label}</title>${steps.join("")}</svg></figure>`;
}

const LETTERS_OF_LINE = 21;
const MAX_LINES = 4;
const LINE = 16;

/** A text in the middle of a box, on a few lines; the title has all of it. */
function lines(text: string): string {
  const all: string[] = [];
  for (const word of text.split(" ").flatMap((part) => part.match(/.{1,21}/gsu) ?? [])) {
    const last = all.at(-1);
    if (last !== undefined && last.length + word.length < LETTERS_OF_LINE)
      all[all.length - 1] = `${last} ${word}`;
    else all.push(word);
  }
  const shown = all.slice(0, MAX_LINES);
  if (all.length > MAX_LINES)
    shown[MAX_LINES - 1] = `${(shown[MAX_LINES - 1] ?? "").slice(0, LETTERS_OF_LINE - 1)}…`;
  const top = BOX.height / 2 + 4.5 - ((shown.length - 1) * LINE) / 2;
  const spans = shown.map(
    (line, index) => `<tspan x="${BOX.width / 2}" y="${top + index * LINE}">${escaped(line)}</tspan>`,
  );
  return `<text text-anchor="middle">${spans.join("")}</text>`;
}
