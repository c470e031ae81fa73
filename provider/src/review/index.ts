import "@tunnelplane/sdk/node";

import { type Everything, readServer } from "../core/everything";
import { askServer, type ServerOptions } from "../host/askServer";
import { readPreview } from "./preview";
import type { Report } from "./report";
import { type ReviewOptions, review as reviewWith } from "./review";

export { recordedResources } from "../operation/stateBackend";
export { FORMATS, type Format, write } from "./formats";
export { type FailOn, failing, type Report, type ReviewedChange, type ReviewedFinding } from "./report";
export { typeOf } from "./resources";
export { type DeclaredResource, worldsOfStack } from "./stack";
export type { Worlds } from "./worlds";

/**
 * The objects on a server that an API key may see, for `worldsOfStack`. Settings that are left out come from
 * the environment.
 */
export const serverObjects = (options: ServerOptions): Promise<Everything> =>
  askServer(options, (transport) => readServer(transport, () => {}));

/** Options of a review. With `url` or `apiKey`, it asks a server for objects outside of the stack. */
export type Options = Omit<ReviewOptions, "server"> &
  ServerOptions & { readonly progress?: (objects: number) => void };

/**
 * Reviews a preview: finds its effects on callers and owners.
 *
 * @param preview the output of `pulumi preview --json --show-sames`, as text or parsed
 * @returns the report, or a promise of it if a server is asked
 * @throws Error with one line if the input is something else, or a preview that failed
 *
 * @example
 * ```ts
 * const report = await review(readFileSync("preview.json", "utf8"), { url: "https://tunnels.example.com", apiKey });
 * if (failing(report, "high").length > 0) console.log(write(report, "markdown"));
 * ```
 */
export function review(preview: string | object, options?: Omit<Options, keyof ServerOptions>): Report;
export function review(preview: string | object, options: Options): Promise<Report>;
export function review(preview: string | object, options: Options = {}): Report | Promise<Report> {
  const { url, apiKey, progress = () => {}, ...others } = options;
  if (url === undefined && apiKey === undefined) return reviewWith(preview, others);
  readPreview(preview, others.source); // refuse bad input before asking a server
  return askServer({ url, apiKey }, (transport) => readServer(transport, progress)).then((server) =>
    reviewWith(preview, { ...others, server }),
  );
}
