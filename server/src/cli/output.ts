import { inOneLine, painted } from "@tunnelplane/sdk/node";
import { Option } from "commander";

/** The option of every command that prints for people and for programs. */
export interface OutputOptions {
  readonly output: "table" | "json" | "yaml";
}

/** @param shape what programs get, for the help and the documentation */
export const outputOption = (shape: string): Option =>
  new Option("-o, --output <format>", `how to print it; json and yaml hold ${shape}`)
    .choices(["table", "json", "yaml"])
    .default("table");

/** Prints a value in the format that was asked for: to people as lines, to programs as it is. */
export function print(value: unknown, { output }: OutputOptions, lines: () => Iterable<string>): void {
  if (output === "table") for (const line of lines()) console.log(line);
  else if (output === "json") console.log(JSON.stringify(value, null, 2));
  else {
    const { yamlOf }: typeof import("@tunnelplane/sdk/catalogue") = require("@tunnelplane/sdk/catalogue");
    console.log(yamlOf(value).trimEnd());
  }
}

export const bold = painted(1);
export const dim = painted(2);
export const red = painted(31);
export const green = painted(32);
export const yellow = painted(33);

/** On a terminal no cell is wider; elsewhere nothing is cut off, because a program may read it. */
const WIDEST = 48;

/** Lines of columns that stand below each other, with a heading. */
export function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map((cell) => cut(oneLine(cell) || "-")));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...shown.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [bold(line(headings)), ...shown.map(line)];
}

/** A stored text as part of a printed line. */
export const oneLine = (text: string): string => inOneLine(text).trim();

const cut = (text: string): string =>
  process.stdout.isTTY && text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
