import { oncePer } from "../../contract/core/once";
import type { ModuleName } from "../../contract/registry";
import type { Example } from "../access/changes";
import type { ObjectChange } from "../changes/differences";
import type { FieldChange } from "../changes/fieldText";
import type { Row } from "../exposure/rows";
import { contentOf, type Part, type Reading } from "../judgement/reading";
import type { Model, ModelObject } from "../model";
import type { Names } from "../names";
import type { RequestsByAddress } from "./requests";
import type { RuleName, Severity } from "./rules";

/** The cause of a finding. */
export interface Cause {
  readonly urn?: string;
  /** Null if a change set is planned that would make the object. */
  readonly id?: string | null;
  readonly kind: string;
  readonly name: string;
  /** The field, with its name in the API; absent if the object as a whole was added or removed. */
  readonly property?: string;
}

/** One effect of a change. */
export interface Finding {
  /** Identifies the content of the finding: the same on another day, with other ids and in any order. */
  readonly hash: string;
  /** Stable, for example `network-opened`. */
  readonly rule: string;
  readonly severity: Severity;
  /** The affected address, if there is one. */
  readonly address?: string;
  /** The kind and name of the affected object; for an address, its edge or route. */
  readonly kind: string;
  readonly name: string;
  /** Only if two objects of the kind have the same name. Null as in {@link Cause}. */
  readonly id?: string | null;
  /** One sentence for somebody who never saw the program. */
  readonly sentence: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly cause: Cause;
  /** The declared fields on which it depends, of objects that existed before. */
  readonly fields?: readonly FieldChange[];
  /**
   * Whether it is about the value of a secret. Such a finding has only the path, and cannot be accepted by
   * its hash, which is the same for every value.
   */
  readonly secret?: true;
  /** Whether the cause and the affected object belong to different stacks. */
  readonly offStack: boolean;
  /** False if a value is not known yet, or if the finding depends on objects that are not visible. */
  readonly certain: boolean;
  /** Of a finding about access: a request that shows it, and what happens to it in both worlds. */
  readonly example?: Example;
  /** Of a finding about access: whether `example` shows it, and all requests to the address were decided. */
  readonly proved?: boolean;
}

/**
 * Whether one of these hashes accepts a finding. No hash accepts a finding about the value of a secret, or
 * what the server would refuse: breaking a guarantee that is there.
 */
export const isAcceptedBy = ({ rule, hash, secret, before }: Finding, hashes: ReadonlySet<string>): boolean =>
  !secret && !(rule === "guarantee-broken" && before !== null) && hashes.has(hash);

/** A finding as a rule returns it. */
export interface Draft {
  readonly about: ModelObject;
  /** If it is not that of the rule. */
  readonly severity?: Severity;
  /** Of the change of a check: whether requests of callers may be let in by it, or refused. */
  readonly effect?: "opens" | "closes" | "either";
  readonly address?: string;
  readonly sentence: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** The content for the hash, if `before` and `after` are not enough or contain a time. */
  readonly meaning?: unknown;
  readonly cause: Pick<Part, "kind" | "object" | "property">;
  readonly certain?: boolean;
  readonly example?: Example;
  readonly proved?: boolean;
  /** The readings behind it, for a finding about one aspect of an address. */
  readonly readings?: readonly (Reading<unknown> | undefined)[];
  /** Whether the sentence names the fields, because it would read the same before and after. */
  readonly namesFields?: boolean;
  /** For a finding about an object as it is: whether it was so before. */
  readonly isUnchanged?: boolean;
  /** The path of the secret, for a finding about its value. */
  readonly secret?: string;
}

/** A draft with its rule. */
export interface RuledDraft extends Draft {
  readonly rule: RuleName;
}

export interface Context {
  readonly names: Names;
  readonly before: Model;
  readonly after: Model;
  /** The present time. If absent, there are no findings about objects that end soon. */
  readonly now?: Date;
  /** Edges and routes with an address that is not known yet. */
  readonly unsettled: ReadonlySet<string>;
  /** The rows of both worlds, by their addresses. */
  readonly rows: { readonly before: ReadonlyMap<string, Row>; readonly after: ReadonlyMap<string, Row> };
  /** The effects of the change on requests. */
  readonly requests: RequestsByAddress;
}

/** A rule. To add one, add an entry to the table of its family. */
export interface Rule<Subject> {
  readonly rule: RuleName;
  readonly evaluate: (subject: Subject, context: Context) => readonly Draft[];
}

/** The rows of an address that exists before and after. */
export interface Rows {
  readonly before: Row;
  readonly after: Row;
}

/** What is said of a changed field of addresses: why requests are let in or refused, or go elsewhere. */
export interface FieldRules {
  /** The module by whose name decisions know the field. */
  readonly field: ModuleName;
  readonly read: (row: Row) => Reading<unknown>;
  /** For addresses whose reading differs. */
  readonly evaluate: (rows: Rows, change: AddressChange, context: Context) => RuledDraft[];
}

/** An address in two worlds. */
export interface AddressChange {
  readonly address: string;
  readonly before?: Row;
  readonly after?: Row;
}

/** Whether the object is created again, with another id and new secrets. */
export const isReplaced = ({ before, after }: ObjectChange): boolean =>
  before !== undefined &&
  after !== undefined &&
  before.object.id !== undefined &&
  before.object.id !== after.object.id;

/** Whether two readings differ in content. */
export const differs = (before: Reading<unknown>, after: Reading<unknown>): boolean =>
  saysOf(before) !== saysOf(after);

const saysOf = oncePer((read: Reading<unknown>) => read.content ?? contentOf(read.parts));

/** The first place that has changed; the place of the address if none has. */
export function causeOf(
  before: Reading<unknown> | undefined,
  after: Reading<unknown> | undefined,
  row: Row,
): Draft["cause"] {
  const keyOf = ({ identity, property }: Part) => `${identity} ${property}`;
  const old = new Map((before?.parts ?? []).map((part) => [keyOf(part), part]));
  const now = new Map((after?.parts ?? []).map((part) => [keyOf(part), part]));
  for (const [key, part] of now) {
    const was = old.get(key);
    if (was?.content === part.content) continue;
    // A module that was a resource of its own, and was deleted with it.
    const owned = was
      ? undefined
      : [...old.values()].find(
          ({ identity, property }) => identity === part.identity && property === undefined,
        );
    if (owned && part.absent) return owned;
    if (was && was.off !== part.off)
      return { ...part, property: part.property === undefined ? "enabled" : `${part.property}.enabled` };
    // All parts of a new object are new, so the object itself is the cause.
    return was
      ? part
      : {
          ...part,
          property: part.identity === row.holder.identity ? part.property : undefinedUnlessModule(part),
        };
  }
  for (const [key, part] of old) if (!now.has(key)) return { ...part, property: undefinedUnlessModule(part) };
  return row.source;
}

const MODULE = / [a-z_]+$/;
const undefinedUnlessModule = ({ identity, property }: Part): string | undefined =>
  MODULE.test(identity) ? property : undefined;

/** A draft about an address whose reading of one aspect changed. */
export function onAddress(
  { before, after }: Rows,
  read: (row: Row) => Reading<unknown>,
  report: Omit<RuledDraft, "about" | "address" | "cause" | "readings">,
): RuledDraft {
  const readings = [read(before), read(after)] as const;
  const certain = (report.certain ?? true) && !readings.some(({ unknown }) => unknown) && after.addressKnown;
  const cause = causeOf(...readings, after);
  return { about: after.holder, address: after.address, ...report, certain, cause, readings };
}

/**
 * A draft about an object, caused by one of its fields.
 *
 * @param property undefined for the object as a whole
 */
export const onObject = (
  about: ModelObject,
  property: string | undefined,
  report: Omit<Draft, "about" | "cause">,
): Draft => ({ about, ...report, cause: property === undefined ? about : { ...about, property } });

/** `a`, `b` and `c`. */
export function listed(items: readonly string[], most = 5): string {
  const shown =
    items.length > most ? [...items.slice(0, most - 1), `${items.length - most + 1} others`] : [...items];
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}
