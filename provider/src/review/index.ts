import { visible } from "@tunnelplane/sdk/node";
import { replayTraffic, type TrafficEntry } from "@tunnelplane/sdk/traffic";
import { type Everything, readServer } from "../core/everything";
import { askServer, type ServerOptions } from "../operation/askServer";
import { htmlOf } from "./html";
import { markdownOf } from "./markdown";
import { tryOnEnvoy } from "./onEnvoy";
import { readPreview } from "./preview";
import type { Report } from "./report";
import { type ReviewOptions, reportOn } from "./review";
import { sarifOf } from "./sarif";
import { withTaken } from "./taken";
import { changeIn, type PreviewedChange, type Worlds } from "./worlds";

export { recordedResources } from "../operation/stateBackend";
export { type FailOn, failing, type Report, type ReviewedChange, type ReviewedFinding } from "./report";
export { typeOf } from "./resources";
export { type DeclaredResource, worldsOfStack } from "./stack";
export type { Worlds } from "./worlds";

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

/**
 * The objects on a server that an API key may see, for `worldsOfStack`. Settings that are left out come from
 * the environment.
 */
export const serverObjects = (options: ServerOptions): Promise<Everything> =>
  askServer(options, (transport) => readServer(transport, () => {}, true));

/** With `url` or `apiKey`, a server is asked for objects outside of the stack. */
type Asking = ServerOptions & { readonly progress?: (objects: number) => void };

/** Options of a review. With `url` or `apiKey`, it asks a server for objects outside of the stack. */
export type Options = ReviewOptions & Asking;

/**
 * Reviews a preview: finds its effects on callers and owners.
 *
 * @param preview the output of `pulumi preview --json --show-sames`, as text or parsed
 * @returns the report, or a promise of it if a server is asked
 * @throws Error if the input is something else, or a preview that failed, with its errors
 *
 * @example
 * ```ts
 * const preview = readFileSync("preview.json", "utf8");
 * const report = await review(preview, { url: "https://tunnels.example.com", apiKey });
 * if (failing(report, "high").length > 0) console.log(write(report, "markdown"));
 * ```
 */
export function review(preview: string | object, options?: Omit<Options, keyof ServerOptions>): Report;
export function review(preview: string | object, options: Options): Promise<Report>;
export function review(preview: string | object, options: Options = {}): Report | Promise<Report> {
  const { url, apiKey, project: _project, progress: _, ...others } = options;
  if (url === undefined && apiKey === undefined)
    return reportOn(changeIn(readPreview(preview, options.source)), others);
  return changeOf(preview, options).then((change) => reportOn(change, others));
}

export interface FullOptions extends Options {
  /**
   * Sends the examples of the report to two Envoys, before and after the change. `tried` of the report says
   * what they did, or why this was not possible.
   */
  readonly onEnvoy?: boolean;
  /** The gateway's program and its first arguments. Default: `tunnelplane-gateway`. */
  readonly gateway?: readonly string[];
  /** Recorded requests, as `readTraffic` reads them; `traffic` of the report says what happens to them. */
  readonly traffic?: AsyncIterable<TrafficEntry> | Iterable<TrafficEntry>;
}

/**
 * The same, with the slow parts: real Envoys, and recorded traffic.
 *
 * @throws Error also if the traffic cannot be read
 */
export async function reviewInFull(preview: string | object, options: FullOptions = {}): Promise<Report> {
  const {
    url: _url,
    apiKey: _key,
    project: _project,
    progress: _,
    onEnvoy,
    gateway,
    traffic,
    ...settings
  } = options;
  const change = await changeOf(preview, options);
  const report = reportOn(change, settings);
  return {
    ...report,
    ...(traffic && { traffic: await replayTraffic(traffic, change) }),
    ...(onEnvoy && { tried: await tryOnEnvoy(report, change, options.folder ?? process.cwd(), gateway) }),
  };
}

/**
 * The worlds before and after a preview, for decisions and comparisons of one's own.
 *
 * @param preview the output of `pulumi preview --json --show-sames`, as text or parsed
 * @throws Error with one line if the input is something else, or a preview that failed
 */
export async function worldsOfPreview(
  preview: string | object,
  options: Asking & { readonly source?: string } = {},
): Promise<Worlds> {
  const { before, after, limits } = await changeOf(preview, options);
  return { before, after, limits };
}

/** The change, beside the objects of the named server, if there is one. Bad input is refused first. */
async function changeOf(
  preview: string | object,
  { url, apiKey, project, progress = () => {}, source }: Asking & { readonly source?: string },
): Promise<PreviewedChange> {
  const read = readPreview(preview, source);
  if (url === undefined && apiKey === undefined) return changeIn(read);
  return askServer({ url, apiKey, project }, async (transport) =>
    withTaken(changeIn(read, await readServer(transport, progress, true)), transport),
  );
}
