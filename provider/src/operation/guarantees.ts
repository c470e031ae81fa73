import type { Guarantee } from "@tunnelplane/sdk";
import { readGuaranteedAddress } from "@tunnelplane/sdk/contract";
import type * as Meanings from "@tunnelplane/sdk/meaning";
import { isRefusedByGuarantee } from "../core";
import { describe } from "./describe";

/** How a run can reach a result that guarantees allow, although they refuse one of its steps. */
const CURE =
  "If only the order is at fault, set the resource option `dependsOn` to the resource that puts the result right, so that it comes first; or declare the same objects as a `CatalogueSet`: the server judges only its result";

const CURE_OF_DELETION = `If the guarantee goes too, give it \`dependsOn\` on this resource, because the engine deletes in the reverse order. ${CURE}`;

/**
 * In a preview: the warning about a change that guarantees would refuse now; undefined for every other error.
 * It is only a warning, because the rest of the program may put it right.
 */
export const refusedAlone = (error: unknown): string | undefined =>
  isRefusedByGuarantee(error)
    ? `refused if applied alone: ${describe(error, undefined)}. ${CURE}`
    : undefined;

/** In a run: the error itself, with the cure if a guarantee is the reason. */
export function withCure(error: unknown, step?: "deletion"): unknown {
  if (!isRefusedByGuarantee(error)) return error;
  const cure = step === "deletion" ? CURE_OF_DELETION : CURE;
  return new Error(`${describe(error, undefined)}. ${cure}`, { cause: error });
}

/**
 * Warnings about a guarantee that was made or changed, from the server's answer: it does not hold, or covers
 * nothing.
 */
export function warningsAbout({
  description,
  state,
  covered,
  example,
  reason,
}: Partial<Guarantee>): string[] {
  const named = `Guarantee${description ? ` ${JSON.stringify(description)}` : ""}`;
  if (covered === 0)
    return [`${named}: covers no address that the server has, so it refuses nothing until there is one`];
  if (state === "broken")
    return [`${named}: is broken${brokenBy(example)}. It refuses nothing until it holds`];
  return state === "unproved" ? [`${named}: cannot be proved: ${reason}`] : [];
}

/** Whether a guarantee may cover one of some hostports, in lower case. */
export const mayCover = (addresses: readonly unknown[], hostports: readonly string[]): boolean =>
  addresses.some((address) => {
    const guarded = readGuaranteedAddress(String(address));
    if (typeof guarded === "string") return false;
    const isBelow = (name: string, wildcard: string) =>
      wildcard.startsWith("*") && name.endsWith(wildcard.slice(1));
    return hostports.some((hostport) => {
      const [host = "", port] = hostport.split(":");
      const isAtPort = guarded.port === undefined || guarded.port === Number(port);
      return (
        isAtPort && (host === guarded.host || isBelow(host, guarded.host) || isBelow(guarded.host, host))
      );
    });
  });

function brokenBy(example: Guarantee["example"] | undefined): string {
  if (!example) return "";
  // Loaded here: few guarantees are broken, and the code that decides requests would slow the start of runs.
  const { decidedText }: typeof Meanings = require("@tunnelplane/sdk/meaning");
  // The contract leaves the form of both to `POST /exposure/decisions`.
  const { request, decision } = example as unknown as {
    request: Meanings.DecisionRequest;
    decision: Meanings.Decision;
  };
  return `: ${decidedText(request, decision)}`;
}
