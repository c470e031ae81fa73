import { wrapped } from "../../generate/wrapped";
import type { Row, Section } from "./section";

/** A section for a terminal. */
export function asText(section: Section): string {
  const table = cellsOf(section);
  const widths = (table[0] as string[]).map((_, column) =>
    Math.max(...table.map((cells) => (cells[column] as string).length)),
  );
  const lines = table.map((cells) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number),
      )
      .join("  "),
  );
  return [`\n${section.title}`, section.note, "", ...lines].join("\n");
}

/** A section for the documentation. */
export function asMarkdown(section: Section): string {
  const [head, ...rows] = cellsOf(section) as [string[], ...string[][]];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    `## ${section.title}`,
    "",
    wrapped(section.note),
    "",
    line(head),
    line(head.map((_, i) => (i === 0 ? "---" : "---:"))),
    ...rows.map(line),
  ].join("\n");
}

function cellsOf({ columns, rows }: Section): string[][] {
  const keys = Object.keys(columns);
  return [Object.values(columns), ...rows.map((row) => keys.map((key) => cell(row[key])))];
}

function cell(value: Row[string] | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "reached" : "not reached";
  if (typeof value === "string") return value;
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}
