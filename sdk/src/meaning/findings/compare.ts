import { compareModels } from "../access/compareAccess";
import type { AccessComparison } from "../access/comparison";
import { type ObjectChange, pairedIn } from "../changes/differences";
import { type Exposure, shown } from "../exposure/exposure";
import { type Row, rowsOf } from "../exposure/rows";
import { type GuaranteeChange, guaranteesIn } from "../guarantees/changes";
import { type Model, pairOf } from "../model";
import { Names } from "../names";
import { inOrder, shortHash } from "../values";
import type { World } from "../world";
import { certificateRules } from "./certificates";
import { credentialRules } from "./credentials";
import { eventRules } from "./events";
import { type AspectFields, ChangedFields, type Remaining } from "./fields";
import {
  type AddressChange,
  type Context,
  type Finding,
  isReplaced,
  type Rule,
  type RuledDraft,
} from "./finding";
import { guaranteeRules, heldRules } from "./guarantees";
import { holderRules } from "./holders";
import { objectRules } from "./objects";
import { explained } from "./opened";
import { inOrderOf } from "./order";
import { RequestsByAddress } from "./requests";
import { reservedRules } from "./reserved";
import type { Severity } from "./rules";
import { stateRules, waitsFor } from "./standing";
import type { StateRule } from "./stateRule";
import { takenRules } from "./taken";

const aboutObjects: readonly Rule<ObjectChange>[] = [
  ...credentialRules,
  ...certificateRules,
  ...holderRules,
  ...eventRules,
  ...guaranteeRules,
  ...reservedRules,
  ...takenRules,
  ...objectRules,
];

export interface CompareOptions {
  /** The present time. If absent, there are no findings about objects that end soon. */
  readonly now?: Date;
  /**
   * False where worlds do not hold what decides at the addresses of guarantees, so that none is evaluated.
   * Default true.
   */
  readonly evaluatesGuarantees?: boolean;
}

/** The whole result of a comparison. */
export interface Comparison {
  /** One hash of all findings. */
  readonly hash: string;
  readonly counts: Readonly<Record<Severity, number>>;
  /** The most severe first. */
  readonly findings: readonly Finding[];
  /** Findings about objects that do not change. */
  readonly standing: readonly Finding[];
  /** The requests that the change lets in, with a proof. */
  readonly access: AccessComparison;
  /** Every declared guarantee, and whether it holds. */
  readonly guarantees: readonly GuaranteeChange[];
  /** The new, removed and changed addresses. */
  readonly addresses: readonly {
    readonly address: string;
    readonly offStack: boolean;
    readonly before: Exposure | null;
    readonly after: Exposure | null;
    /** The declared fields that differ in aspects whose exposure reads the same; absent if there are none. */
    readonly fields?: readonly AspectFields[];
  }[];
  /** Declared fields that differ and that no finding names, of objects that were there before. */
  readonly remaining: readonly Remaining[];
  /** Whether only fields differ that no caller and no owner can notice, such as descriptions. */
  readonly unnoticed: boolean;
}

/**
 * The effects of the difference between two worlds on callers and owners, the most severe first. Empty for a
 * change without effects.
 */
export const findingsOf = (before: World, after: World, options: CompareOptions = {}): Finding[] =>
  findingsIn(before, after, options).findings;

/** The same, with standing findings and changed addresses. */
export function compare(before: World, after: World, options: CompareOptions = {}): Comparison {
  const { findings, standing, addresses, access, guarantees, objects, changed } = findingsIn(
    before,
    after,
    options,
  );
  const counts = { high: 0, medium: 0, low: 0 };
  for (const { severity } of findings) counts[severity]++;
  const hashes = findings.map(({ hash }) => hash).sort();
  return {
    hash: shortHash([...hashes, changed.digest(objects)].join("\n")),
    counts,
    findings,
    standing,
    access,
    guarantees: guarantees.map(({ states }) => states),
    addresses: changedAddresses(addresses, findings, changed),
    remaining: changed.remaining(objects),
    unnoticed: changed.areUnnoticed(objects),
  };
}

function findingsIn(before: World, after: World, { now, evaluatesGuarantees = true }: CompareOptions) {
  const [past, present] = pairOf(before, after, now?.getTime());
  const [rowsBefore, rowsAfter] = [rowsOf(past), rowsOf(present)];
  const names = new Names(past, present);
  const unsettled = new Set(
    rowsAfter
      .filter(({ addressKnown }) => !addressKnown)
      .flatMap(({ holder, edge }) => [holder.identity, edge?.identity ?? ""]),
  );
  const addresses = addressesOf(rowsBefore, rowsAfter);
  const { areas, access } = compareModels(past, present);
  const rows = { before: byAddress(rowsBefore), after: byAddress(rowsAfter) };
  const requests = new RequestsByAddress(areas, (address) => rows.after.has(address));
  const context: Context = { names, before: past, after: present, now, unsettled, rows, requests };
  const objects = objectsOf(past, present);
  const guarantees = evaluatesGuarantees ? guaranteesIn(past, present) : [];
  const drafts = [
    ...addresses.flatMap((change) => explained(change, context)),
    ...drafted(aboutObjects, objects, context),
    ...drafted(heldRules, guarantees, context),
  ];
  const standing: RuledDraft[] = [];
  const describe = (change: ObjectChange, rules: readonly StateRule[]) => {
    for (const describing of rules) {
      const found = described(describing, change, context);
      if (found && !(found.isUnchanged && describing.isOfChange))
        (found.isUnchanged ? standing : drafts).push(found);
    }
  };
  for (const change of objects) describe(change, stateRules);
  for (const change of pairedIn(past.waiting(), present.waiting()).values()) describe(change, [waitsFor]);
  const changed = new ChangedFields(context);
  const finished = (list: readonly RuledDraft[]) =>
    inOrderOf(
      list.map((draft) => changed.finished(draft)),
      names,
    );
  return {
    findings: finished(drafts),
    standing: finished(standing),
    addresses,
    access,
    guarantees,
    objects,
    changed,
  };
}

const drafted = <S>(rules: readonly Rule<S>[], subjects: readonly S[], context: Context): RuledDraft[] =>
  subjects.flatMap((subject) =>
    rules.flatMap(({ rule, evaluate }) => evaluate(subject, context).map((draft) => ({ ...draft, rule }))),
  );

const byAddress = (rows: readonly Row[]): Map<string, Row> => new Map(rows.map((row) => [row.address, row]));

function addressesOf(before: readonly Row[], after: readonly Row[]): AddressChange[] {
  const changes = new Map<string, AddressChange>();
  for (const row of before) changes.set(row.address, { address: row.address, before: row });
  for (const row of after)
    changes.set(row.address, { ...changes.get(row.address), address: row.address, after: row });
  return [...changes.values()];
}

/** Every object of either world, without those that the reader may not see. */
function objectsOf(before: Model, after: Model): ObjectChange[] {
  const shown = ({ all }: Model) => all.filter(({ object }) => !object.hidden);
  return [...pairedIn(shown(before), shown(after)).values()];
}

function described(
  { rule, describe }: StateRule,
  change: ObjectChange,
  context: Context,
): (RuledDraft & { isUnchanged: boolean }) | undefined {
  const { before, after } = change;
  const { names, now } = context;
  const found = after && describe(after, { model: context.after, names, now });
  if (!found) return undefined;
  const earlier =
    before && !isReplaced(change) ? describe(before, { model: context.before, names, now }) : undefined;
  const { sentence, after: value, property, certain } = found;
  return {
    about: after,
    sentence,
    after: value,
    meaning: found.content,
    cause: { ...after, property },
    certain,
    rule,
    ...(found.severity && { severity: found.severity }),
    isUnchanged: earlier?.content === found.content,
  };
}

function changedAddresses(
  changes: readonly AddressChange[],
  findings: readonly Finding[],
  fields: ChangedFields,
): Comparison["addresses"] {
  const elsewhere = new Map<string, boolean>();
  for (const { address, before, after } of changes) if (!before || !after) elsewhere.set(address, false);
  for (const { address, offStack } of findings) {
    if (address !== undefined) elsewhere.set(address, (elsewhere.get(address) ?? false) || offStack);
  }
  return changes
    .flatMap((change) => {
      const { address, before, after } = change;
      const found = elsewhere.get(address);
      if (found === undefined && !endsElsewhere(change)) return [];
      const [was, is] = [before ? shown(before) : null, after ? shown(after) : null];
      const unseen = was && is ? fields.unseen(change, [was, is]) : [];
      const offStack = found ?? before?.holder.object.stack !== after?.holder.object.stack;
      return [{ address, offStack, before: was, after: is, ...(unseen.length > 0 && { fields: unseen }) }];
    })
    .sort((a, b) => inOrder(a.address, b.address));
}

/** Whether TLS of an address ends elsewhere, which not every rule has to report. */
const endsElsewhere = ({ before, after }: AddressChange): boolean =>
  before !== undefined && after !== undefined && before.tls.value.ends_at !== after.tls.value.ends_at;
