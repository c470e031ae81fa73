import { type Part, type Read, saidBy } from "../exposure/reading";
import type { Row } from "../exposure/rows";
import type { Model, Thing } from "../model";
import type { Names } from "../names";

export type Severity = "high" | "medium" | "low";

/** What a finding comes from. */
export interface Cause {
  readonly urn?: string;
  readonly id?: string;
  readonly kind: string;
  readonly name: string;
  /** The field, in the API's names; absent where the object as a whole came or went. */
  readonly property?: string;
}

/** What a change means for somebody. */
export interface Finding {
  /** Names what the finding says: the same on another day, with other ids and in any order. */
  readonly hash: string;
  /** Stable, for example `network-opened`. */
  readonly rule: string;
  readonly severity: Severity;
  /** The address that it is about, if it is about one. */
  readonly address?: string;
  /** The kind and name of the object that it is about: of an address, its edge or route. */
  readonly kind: string;
  readonly name: string;
  /** Only where two objects of the kind share the name. */
  readonly id?: string;
  /** One sentence for somebody who never saw the program. */
  readonly sentence: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly cause: Cause;
  /** The cause does not belong to the stack of the object that the finding is about. */
  readonly offStack: boolean;
  /** False where a value is not known yet, or where objects outside of what is known decide. */
  readonly certain: boolean;
}

/** A finding as a rule writes it. */
export interface Draft {
  readonly about: Thing;
  readonly address?: string;
  readonly sentence: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** What the hash stands for, where before and after do not say it all, or say a time. */
  readonly meaning?: unknown;
  readonly cause: Pick<Part, "kind" | "object" | "property">;
  readonly certain?: boolean;
}

export interface Context {
  readonly names: Names;
  readonly before: Model;
  readonly after: Model;
  /** Without it nothing is said of what ends soon. */
  readonly now?: Date;
  /** Edges and routes of which some address is not known yet. */
  readonly unsettled: ReadonlySet<string>;
}

/** A rule: a new one is one entry in the table of its family. */
export interface Rule<Subject> {
  readonly rule: string;
  readonly severity: Severity;
  readonly judge: (subject: Subject, context: Context) => readonly Draft[];
}

/** An address in two worlds. */
export interface AddressChange {
  readonly address: string;
  readonly before?: Row;
  readonly after?: Row;
}

/** An object in two worlds. */
export interface ObjectChange {
  readonly before?: Thing;
  readonly after?: Thing;
}

/** The object is made anew: it gets another id, and whatever comes with it. */
export const isReplaced = ({ before, after }: ObjectChange): boolean =>
  before !== undefined && after !== undefined && before.object.id !== undefined && before.object.id !== after.object.id;

/** Whether two readings say different things, in whatever words. */
export const differs = (before: Read<unknown>, after: Read<unknown>): boolean => saysOf(before) !== saysOf(after);

const known = new WeakMap<Read<unknown>, string>();

function saysOf(read: Read<unknown>): string {
  const says = read.says ?? known.get(read) ?? saidBy(read.parts);
  known.set(read, says);
  return says;
}

/** The first place that says another thing than before; the place of the address where none does. */
export function causeOf(before: Read<unknown> | undefined, after: Read<unknown> | undefined, row: Row): Draft["cause"] {
  const keyOf = ({ identity, property }: Part) => `${identity} ${property}`;
  const old = new Map((before?.parts ?? []).map((part) => [keyOf(part), part]));
  const now = new Map((after?.parts ?? []).map((part) => [keyOf(part), part]));
  for (const [key, part] of now) {
    const was = old.get(key);
    if (was?.says === part.says) continue;
    // A module that was a resource of its own, and is gone with it.
    const owned = was
      ? undefined
      : [...old.values()].find(({ identity, property }) => identity === part.identity && property === undefined);
    if (owned && part.absent) return owned;
    if (was && was.off !== part.off) return { ...part, property: part.property === undefined ? "enabled" : `${part.property}.enabled` };
    // An object that is new says all that it says at once.
    return was ? part : { ...part, property: part.identity === row.holder.identity ? part.property : undefinedUnlessModule(part) };
  }
  for (const [key, part] of old) if (!now.has(key)) return { ...part, property: undefinedUnlessModule(part) };
  return row.place;
}

const MODULE = / [a-z_]+$/;
const undefinedUnlessModule = ({ identity, property }: Part): string | undefined => (MODULE.test(identity) ? property : undefined);

/** A draft about an address whose reading of one aspect changed. */
export function onAddress(
  change: AddressChange,
  aspect: (row: Row) => Read<unknown>,
  said: Pick<Draft, "sentence" | "before" | "after" | "meaning" | "certain">,
): Draft[] {
  const { before, after } = change;
  const row = after ?? before;
  if (!row) return [];
  const [was, is] = [before && aspect(before), after && aspect(after)];
  const certain = (said.certain ?? true) && !was?.unknown && !is?.unknown && row.addressKnown;
  return [{ about: row.holder, address: change.address, ...said, certain, cause: causeOf(was, is, row) }];
}

/** What may be said in code marks in a sentence: one line. */
export const code = (text: string): string => `\`${text.replace(/[\s`]+/g, " ")}\``;

/** `a`, `b` and `c`. */
export function listed(items: readonly string[], most = 5): string {
  const shown = items.length > most ? [...items.slice(0, most - 1), `${items.length - most + 1} others`] : [...items];
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}
