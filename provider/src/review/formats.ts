import { htmlOf } from "./html";
import { markdownOf } from "./markdown";
import type { Report } from "./report";
import { sarifOf } from "./sarif";

export const FORMATS = ["markdown", "html", "json", "sarif"] as const;

export type Format = (typeof FORMATS)[number];

const writers: Readonly<Record<Format, (report: Report) => string>> = {
  markdown: markdownOf,
  html: htmlOf,
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
  sarif: (report) => `${JSON.stringify(sarifOf(report), null, 2)}\n`,
};

/** A report as text. */
export const write = (report: Report, format: Format): string => writers[format](report);
