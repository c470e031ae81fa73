import { endFieldOf } from "../../contract/core/ends";
import { own } from "../../contract/core/narrow";
import { definitionNamed } from "../../contract/registry";
import type { ObjectChange } from "../changes/differences";
import { ENDING, type ModelObject } from "../model";
import { fieldNamed, holdsUnknown, textIn } from "../values";
import { type Context, type Draft, isReplaced, onObject } from "./finding";

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;

/** What an object allowed until its end, as the beginning of a sentence. */
const ALLOWED: Readonly<Record<string, string>> = {
  ip_policy_rule: "it lets nobody in",
};
const NOTHING_BOUND = "agents that use it can bind nothing";

/** The end of an object that may end; null for never, undefined where it is not known. */
function endOf(thing: ModelObject): { readonly property: string; readonly end: string | null | undefined } {
  const property = endFieldOf(definitionNamed(thing.kind)) ?? "";
  const value: unknown = fieldNamed(thing.fields, property);
  const time = Date.parse(textIn(value) ?? "");
  const end = Number.isNaN(time) ? null : new Date(time).toISOString().replace(".000Z", "Z");
  return { property, end: holdsUnknown(value) ? undefined : end };
}

/** An object that ends soon, or has ended, as it is. */
export function describeEnd(thing: ModelObject, { names, now }: Pick<Context, "names" | "now">) {
  if (!now || !ENDING.has(thing.kind)) return undefined;
  const { property, end } = endOf(thing);
  if (end === null) return undefined;
  const what = `The ${names.titled(thing)}`;
  if (end === undefined) {
    const sentence = `${what} may end soon: it is not known yet when.`;
    return { sentence, property, certain: false, content: "unknown" };
  }
  const days = (Date.parse(end) - now.getTime()) / DAY_MS;
  if (days > SOON_DAYS) return undefined;
  const nothing = own(ALLOWED, thing.kind) ?? NOTHING_BOUND;
  const sentence =
    days <= 0
      ? `${what} ended on ${end}: ${nothing}.`
      : `${what} ends on ${end}, within ${SOON_DAYS} days: from then on ${nothing}.`;
  return { sentence, after: end, property, content: end };
}

/** What ends later than before, or never. */
export function laterEnd(change: ObjectChange, { names }: Context): Draft[] {
  const { before, after } = change;
  if (!before || !after || !ENDING.has(after.kind) || isReplaced(change)) return [];
  const [was, is] = [endOf(before), endOf(after)];
  if (typeof was.end !== "string" || was.end === is.end) return [];
  if (typeof is.end === "string" && Date.parse(is.end) < Date.parse(was.end)) return [];
  const until =
    is.end === undefined
      ? "ends at a time that is not known yet"
      : is.end === null
        ? "never ends"
        : `ends on ${is.end}`;
  const sentence = `The ${names.titled(after)} ${until} (before: on ${was.end}).`;
  const certain = is.end !== undefined;
  return [onObject(after, is.property, { sentence, before: was.end, after: is.end ?? null, certain })];
}
