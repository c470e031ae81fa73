import type { Definition } from "../core/definition";
import { endFieldOf } from "../core/ends";
import { conditioned, text } from "../core/fields";
import { lazyList } from "../core/lazyList";
import { SESSION_EVENTS } from "../observed/sessionEvents";

const CHANGES = ["created", "updated", "deleted"] as const;

/** The possible changes of an object. */
export type Change = (typeof CHANGES)[number] | "expired";

/** The changes of a type's objects that are events. */
export const changesOf = (definition: Definition): readonly Change[] =>
  endFieldOf(definition) === undefined ? CHANGES : [...CHANGES, "expired"];

let definitions: readonly Definition[] = [];

/**
 * Names the types whose changes are events. The registry calls this: this file cannot import it, because one
 * of its types imports this file.
 */
export function nameEventTypes(all: readonly Definition[]): void {
  definitions = all;
}

const bySubject = (): readonly Definition[] =>
  definitions.toSorted((one, other) => (one.subject < other.subject ? -1 : 1));

const subjects: readonly string[] = lazyList(() => [...new Set(bySubject().map(({ subject }) => subject))]);

/** Every event type that a subscription may name. */
export const EVENT_TYPES: readonly string[] = lazyList(() => [
  ...new Set(bySubject().flatMap((one) => changesOf(one).map((change) => eventTypeOf(one, change)))),
  ...SESSION_EVENTS,
]);

/** The event type of a change. */
export const eventTypeOf = ({ subject }: Definition, change: Change): string => `${subject}_${change}.v0`;

/** The action of the audit row of an event: its type without the version. */
export const actionOf = (type: string): string => type.replace(/\.v\d+$/, "");

/** An event type, for example `ip_policy_created.v0`. */
export const eventType = () =>
  conditioned(text(64), (type) => {
    if (EVENT_TYPES.includes(type)) return undefined;
    const alike = EVENT_TYPES.filter((known) => known.split("_")[0] === type.split(/[_.]/)[0]);
    return `is not an event type; ${alike.length ? `there are ${alike.join(", ")}` : `expected "<what>_created.v0", "_updated.v0" or "_deleted.v0", <what> being ${subjects.join(", ")}`}`;
  }).meta({ examples: ["ip_policy_created.v0"] });
