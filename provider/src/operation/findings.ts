import { inWords, type Lifecycle, nameIn, type Properties, type Wire } from "../core";
import type { Operation } from "./operation";

/** Findings that a preview shows of one resource. */
const MAX_WARNINGS = 5;

/** Warns of what a change by itself does to callers; a review judges the whole program. */
export async function warnOfFindings(
  { host }: Operation,
  lifecycle: Lifecycle,
  answer: Wire | undefined,
  { olds, news }: { readonly olds: Properties; readonly news: Properties },
  urn: string | undefined,
): Promise<void> {
  const found = lifecycle.unsaid(answer, olds, news, host.isUnknown, urn && nameIn(urn));
  const { type } = lifecycle.definition;
  for (const finding of found.slice(0, MAX_WARNINGS))
    await host.warn(`${type}: if applied alone: ${inWords(finding)}`, urn);
  const more = found.length - MAX_WARNINGS;
  if (more > 0)
    await host.warn(
      `${type}: if applied alone, ${more} more findings of high severity: a review shows all`,
      urn,
    );
}
