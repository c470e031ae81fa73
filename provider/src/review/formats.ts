import { visible } from "@tunnelplane/sdk/node";
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

/** A report as text, without characters that would control a terminal or a browser. */
export const write = (report: Report, format: Format): string => visible(writers[format](report));
