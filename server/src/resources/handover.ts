import { isDeepStrictEqual } from "node:util";
import {
  type Definition,
  definitionOfId,
  expandPath,
  isObject,
  modulesOf,
  own,
  pathFieldsOf,
  present,
  UNDECIDING_MODULES,
  waits,
} from "@tunnelplane/sdk/contract";
import { type Document, type Documents, textIn } from "../documents";
import { effect, insertion, isListed, pipelined, statement, type Transaction } from "../storage";
import { RequestError } from "../util";
import { parentOf } from "./parents";
import { insertUniqueKeys, keysOf } from "./references";
import { findWhole } from "./rows";
import { Existing, type PendingDelete } from "./rules";

type Key = ReturnType<typeof keysOf>[number];

/** Objects of a kind that wait for each other. Each was made by a run that ended before it was done. */
const MAX_AHEAD = 10;

/** Refuses to replace an object that another one replaces already. Lock the object first. */
export async function refuseSecond(
  transaction: Transaction,
  { title }: Definition,
  id: string,
): Promise<void> {
  const before = await replacementOf(transaction, id);
  if (before !== undefined)
    throw new RequestError(
      "taken",
      `${title} ${id} is replaced by ${before} already; delete one of the two first`,
      { field: "replaces" },
    );
}

/**
 * Refuses to take a route or a module from an object that another one waits for: it might be what keeps
 * callers out.
 *
 * @param isPart whether a part of the object at this place goes, and not the object itself
 */
export async function refuseFromReplaced(
  transaction: Transaction,
  definition: Definition,
  at: Readonly<Record<string, string>> & { readonly id: string },
  isPart: boolean,
): Promise<void> {
  const around = [
    ...pathFieldsOf(definition).map((field) => [parentOf(definition, field), textIn(at, field)] as const),
    ...(isPart ? [[definition, at.id] as const] : []),
  ];
  for (const [whole, id] of around) {
    const after = waits(whole) ? await replacementOf(transaction, id) : undefined;
    if (after !== undefined)
      throw new RequestError(
        "replaced",
        `${whole.title} ${id} is replaced by ${after} and keeps its parts until it is deleted; delete it, and ${after} takes over`,
      );
  }
}

/**
 * Refuses to change an object that another one waits for, or a part of it, where it loses a module, or where
 * what may keep callers out gets another value: modules that are off, and new ones, may change.
 */
export async function refuseLoosening(
  transaction: Transaction,
  definition: Definition,
  id: string,
  { before, after }: { readonly before: Document; readonly after: Document },
): Promise<void> {
  const isLost = (name: string) => {
    const [was, is] = [own(before, name), own(after, name)];
    const isOn = isObject(was) && was.enabled !== false;
    return isOn && (is === null || (!UNDECIDING_MODULES.includes(name) && !isDeepStrictEqual(was, is)));
  };
  const isMoved = ["match_type", "match"].some((name) => own(before, name) !== own(after, name));
  if (isMoved || modulesOf(definition).some(isLost))
    await refuseFromReplaced(transaction, definition, { ...parentsIn(definition, after), id }, true);
}

/** The ids above an object, by field. */
export const parentsIn = (definition: Definition, sent: Document): Record<string, string> =>
  Object.fromEntries(pathFieldsOf(definition).map((field) => [field, textIn(sent, field)]));

/** The id of the object that was created to replace another one, if both are there. */
export const replacementOf = async (transaction: Transaction, id: string): Promise<string | undefined> =>
  (await byOldId(transaction, { old_id: id }))[0]?.new_id;

/** The object that another one replaces, the one that this replaces in turn, and so on. */
export async function aheadOf(transaction: Transaction, id: string): Promise<PendingDelete[]> {
  const ahead: PendingDelete[] = [];
  for (let last = id; ; ) {
    const [row] = await byNewId(transaction, { new_id: last });
    if (!row) return ahead;
    if (ahead.length === MAX_AHEAD)
      throw new RequestError(
        "taken",
        `${MAX_AHEAD} objects wait for each other before ${id}; delete those that are not needed first`,
        { field: "replaces" },
      );
    last = row.old_id;
    ahead.push({ id: last, name: last, words: "" });
  }
}

/**
 * Lets a new object have the unique values that it shares with the one that it replaces. Where the new one
 * waits, the old one keeps them until it is deleted; for others, the old one counts as absent from now on.
 *
 * @param claimed the new object's keys
 * @returns those that it has from now on
 */
export async function handOver(
  transaction: Transaction,
  definition: Definition,
  ids: { readonly old_id: string; readonly new_id: string },
  claimed: readonly Key[],
): Promise<readonly Key[]> {
  await insertReplacement(transaction, ids);
  if (waits(definition)) return notHeldBy(transaction, claimed, await aheadOf(transaction, ids.new_id));
  await pipelined(
    claimed.map(({ scope, value }) => deleteKey(transaction, { scope, value, resource_id: ids.old_id })),
  );
  return claimed;
}

/** The keys that none of these objects holds. */
export async function notHeldBy(
  transaction: Transaction,
  keys: readonly Key[],
  holders: readonly PendingDelete[],
): Promise<readonly Key[]> {
  if (holders.length === 0) return keys;
  const held = await holdersOf(transaction, keys);
  return keys.filter((key) => !holders.some(({ id }) => id === held(key)));
}

/**
 * Gives an object those of its unique values that nobody holds.
 *
 * @returns those that an object holds which is not one of these
 */
export async function takeFree(
  transaction: Transaction,
  documents: Documents,
  id: string,
  ahead: readonly PendingDelete[],
): Promise<readonly Key[]> {
  const definition = present(definitionOfId(id));
  const [row] = await findWhole(definition)(transaction, { id });
  if (!row) return [];
  const json = await documents.read(transaction, definition, row.document, `${id} ${row.version}`);
  const keys = keysOf(id, definition, documents.sentOf(definition, JSON.parse(json)));
  const held = await holdersOf(transaction, keys);
  await insertUniqueKeys(
    transaction,
    keys.filter((key) => held(key) === undefined),
  );
  const known = [undefined, id, ...ahead.map((one) => one.id)];
  return keys.filter((key) => !known.includes(held(key)));
}

/** Gives an object that waits for another the unique values that this one has given up. */
export async function passOn(transaction: Transaction, documents: Documents, id: string): Promise<void> {
  const after = await replacementOf(transaction, id);
  if (after !== undefined) await takeFree(transaction, documents, after, []);
}

/** What an answer says of an object that waits for another of its kind, and has the same parents. */
export const waitingFor = (
  documents: Documents,
  { path }: Definition,
  sent: Document,
  id: string | undefined,
): Document => ({
  waits_for: id === undefined ? null : { id, uri: documents.placed(`${expandPath(path, sent)}/${id}`) },
});

async function holdersOf(
  transaction: Transaction,
  keys: readonly Key[],
): Promise<(key: Key) => string | undefined> {
  const claims = keys.map(({ scope, value }) => ({ scope, key: value }));
  const rows = await new Existing(transaction).holdersOf(claims);
  return (key) => rows.find(({ scope, value }) => scope === key.scope && value === key.value)?.id;
}

const byOldId = statement<{ old_id: string }, { new_id: string }>((db, parameter) =>
  db.selectFrom("replacement").select("new_id").where("old_id", "=", parameter("old_id")),
);

const byNewId = statement<{ new_id: string }, { old_id: string }>((db, parameter) =>
  db.selectFrom("replacement").select("old_id").where("new_id", "=", parameter("new_id")),
);

/** The objects that were made to replace these, whose ids are a JSON list. */
export const replacementsOf = statement<{ old_ids: string }, { new_id: string }>((db, parameter) =>
  db
    .selectFrom("replacement")
    .select("new_id")
    .where(isListed(db, "old_id", parameter("old_ids"))),
);

export const insertReplacement = insertion("replacement", ["old_id", "new_id"]);

const deleteKey = effect<Key>((db, parameter) =>
  db
    .deleteFrom("unique_key")
    .where("scope", "=", parameter("scope"))
    .where("value", "=", parameter("value"))
    .where("resource_id", "=", parameter("resource_id")),
);
