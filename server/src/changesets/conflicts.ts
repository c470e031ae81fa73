import {
  definitionNamed,
  definitionOfId,
  present,
  type UniqueKey,
  withArticle,
} from "@tunnelplane/sdk/contract";
import { isHidden, refuseForeignOwner } from "../auth";
import { missingTarget, nests, referencesOf, wayRound, wrongKind } from "../resources";
import { takeTurn } from "../util";
import { briefRows, holdersOf, targetsOfAll, type UserRow, usersOfAll } from "./facts";
import { type Item, isMissing } from "./items";
import { inOrder } from "./order";
import type { Planning } from "./planning";

/** An object that is to go: it left the set, or is replaced. */
export interface Going {
  readonly id: string;
  readonly name: string;
  readonly isReplaced: boolean;
}

/** Refuses that something goes which others use, or that belongs to it and not to the set. */
export async function refuseUsed(
  { faults, facts, reader }: Planning,
  items: readonly Item[],
  going: readonly Going[],
): Promise<void> {
  const goingById = new Map(going.map((one) => [one.id, one]));
  const ids = [...goingById.keys()];
  facts.goingIds.push(...ids);
  facts.users.push(...(await usersOfAll(reader, ids)));
  const staying = new Map(items.map((item) => [item.id, item]));
  const others = facts.users.filter(({ from_id: id }) => !goingById.has(id) && !staying.has(id));
  const byTarget = new Map<string, UserRow[]>();
  for (const user of others) {
    const users = byTarget.get(user.to_id) ?? [];
    byTarget.set(user.to_id, users);
    users.push(user);
  }
  for (const [id, users] of byTarget) {
    const { name, isReplaced } = goingById.get(id) as Going;
    const children = users.filter(({ cascades }) => cascades === 1);
    const listed = listOf(children.length > 0 ? children : users);
    const what = isReplaced
      ? "has to be replaced, because a field changes that is set at creation only, and"
      : "would be deleted, and";
    const why =
      children.length > 0
        ? `with it would go ${listed}, not of this set`
        : `${listed} outside of this set refers to it`;
    faults.add(name, { error: "in_use", path: [], message: `${what} ${why}; change that first` });
  }
  for (const item of items) {
    for (const { id, path } of item.references) {
      const gone = goingById.get(id);
      if (!gone || gone.isReplaced) continue;
      faults.add(item.name, {
        error: "missing_target",
        path,
        message: `names ${id} (${gone.name}), which this request would delete, because it leaves it out; declare it, or do not refer to it`,
      });
    }
  }
}

const MOST_LISTED = 5;

function listOf(users: readonly UserRow[]): string {
  const listed = users
    .slice(0, MOST_LISTED)
    .map(({ kind, from_id, field }) => `${definitionNamed(kind).title} ${from_id} (${field})`);
  return [...listed, ...(users.length > MOST_LISTED ? ["others"] : [])].join(" and ");
}

/**
 * Refuses references to objects that are not there, or of another type than may stand there, and owners that
 * the caller may not name.
 */
export async function refuseWrongReferences(
  { faults, facts, reader, caller }: Planning,
  items: readonly Item[],
): Promise<void> {
  const kinds = new Map(items.map((item) => [item.id, item.definition.kind as string]));
  const found = items.map((item) => ({
    item,
    references: referencesOf(item.definition, item.sent).filter(({ id }) => !isMissing(id)),
  }));
  const outside = new Set(
    found.flatMap(({ references }) => references.map(({ id }) => id)).filter((id) => !kinds.has(id)),
  );
  for (const id of outside) if (!facts.versions.has(id)) facts.versions.set(id, null);
  for (const row of await briefRows(reader, [...outside])) {
    kinds.set(row.id, row.kind);
    facts.versions.set(row.id, row.version);
  }
  for (const { item, references } of found) {
    await takeTurn();
    for (const reference of references) {
      const fault = wrongKind(reference) ?? missingTarget(reference, kinds.get(reference.id));
      if (fault) faults.add(item.name, fault);
    }
    if (!item.old || item.isReplaced)
      await refuseForeignOwner(reader, item.sent.owner_id, caller).catch((refusal: unknown) =>
        faults.addRefusal(item.name, refusal),
      );
  }
}

/**
 * Refuses values that must be unique and are held by two objects of the set, or by another object that keeps
 * them.
 */
export async function refuseTaken(
  { faults, facts, reader, caller }: Planning,
  items: readonly Item[],
  going: readonly Going[],
): Promise<void> {
  const free = new Set(going.map(({ id }) => id));
  const holders = new Map<string, Item>();
  const claimed = new Map<string, string[]>();
  const claims: { item: Item; claim: UniqueKey }[] = [];
  const newIds = new Set(items.filter(({ old, id }) => old?.id !== id).map(({ id }) => id));
  for (const item of items) {
    await takeTurn();
    if (faults.has(item.name)) continue;
    const { definition, sent, amendment, isReplaced } = item;
    const held = new Set(
      amendment && !isReplaced ? definition.unique(amendment.sentBefore as never).map(placeOf) : [],
    );
    for (const claim of definition.unique(sent as never)) {
      const first = holders.get(placeOf(claim));
      if (first)
        faults.add(item.name, {
          error: "taken",
          path: claim.path,
          message: `${claim.taken} (${first.name})`,
        });
      else holders.set(placeOf(claim), item);
      // Nobody holds anything yet below an object that is new.
      if (held.has(placeOf(claim)) || newIds.has(claim.scope.split(" ").at(-1) as string)) continue;
      const values = claimed.get(claim.scope) ?? [];
      claimed.set(claim.scope, values);
      values.push(claim.key);
      claims.push({ item, claim });
    }
  }
  facts.claimed = claimed;
  facts.holders.push(...(await holdersOf(reader, claimed)));
  const stored = new Map(facts.holders.map((row) => [placeOf({ scope: row.scope, key: row.value }), row]));
  const staying = new Map(items.map((item) => [item.id, item]));
  for (const { item, claim } of claims) {
    const holder = stored.get(placeOf(claim));
    if (!holder || free.has(holder.id)) continue;
    if (staying.has(holder.id)) continue; // it gives the value up, or that was said above
    const definition = definitionOfId(holder.id) ?? item.definition;
    const name = isHidden(definition, holder.owner_id, caller) ? "" : ` (${holder.id})`;
    faults.add(item.name, { error: "taken", path: claim.path, message: claim.taken + name });
  }
}

const placeOf = ({ scope, key }: Pick<UniqueKey, "scope" | "key">): string => `${scope} ${key}`;

/** How deep backends outside of the set may be nested, and how many are read to find circles. */
const DEEPEST = 1_000;
const MOST_READ = 100_000;

/** Refuses that objects contain each other through objects outside of the set. */
export async function refuseCirclesOutside(
  { faults, facts, reader }: Planning,
  items: readonly Item[],
): Promise<void> {
  const nesting = items.filter(({ definition, name }) => nests(definition) && !faults.has(name));
  const contained = new Map(nesting.map((item) => [item.id, item.references.map(({ id }) => id)]));
  const members = new Set(items.map(({ id }) => id));
  const outsideOf = (ids: readonly string[]) =>
    [...new Set(ids)].filter((id) => !members.has(id) && !contained.has(id) && isNesting(id));
  let level = outsideOf([...contained.values()].flat());
  let [depth, read] = [0, 0];
  while (level.length > 0) {
    depth++;
    read += level.length;
    if (depth > DEEPEST || read > MOST_READ) {
      const limit =
        depth > DEEPEST ? `nested more than ${DEEPEST} deep` : `and more than ${MOST_READ} of them`;
      const message = `leads to backends outside of the set, ${limit}; nest fewer`;
      faults.add(present(nesting[0]).name, { error: "invalid_field", path: [], message });
      return;
    }
    for (const id of level) contained.set(id, []);
    for (const row of await briefRows(reader, level)) facts.versions.set(row.id, row.version);
    for (const { from_id, to_id } of await targetsOfAll(reader, level)) contained.get(from_id)?.push(to_id);
    level = outsideOf(level.flatMap((id) => contained.get(id) ?? []));
  }
  const names = new Map(nesting.map((item) => [item.id, item]));
  inOrder(
    [...contained.keys()],
    (id) => (contained.get(id) ?? []).filter((target) => contained.has(target)),
    (circle) => {
      const item = circle.map((id) => names.get(id)).find((one) => one !== undefined);
      const outside = circle.some((id) => !names.has(id));
      if (!item || !outside) return; // said before, or not of this request
      const way = wayRound(circle.map((id) => names.get(id)?.name ?? id));
      const path = item.references.find(({ id }) => circle.includes(id))?.path ?? [];
      faults.add(item.name, {
        error: "invalid_field",
        path,
        message: `makes a circle: ${way}; ${withArticle(item.definition.title)} may not contain itself, so leave one of these out`,
      });
    },
  );
}

const isNesting = (id: string): boolean => {
  const definition = definitionOfId(id);
  return definition !== undefined && nests(definition);
};
