import { type Definition, definitionNamed, definitionOfId, handsOver } from "@tunnelplane/sdk/contract";
import type { Documents } from "../documents";
import { effect, inParts, insertion, isListed, pipelined, statement, type Transaction } from "../storage";
import { RequestError } from "../util";
import { insertUniqueKeys, keysOf } from "./references";
import { findById } from "./rows";
import { Existing } from "./rules";

type Key = ReturnType<typeof keysOf>[number];

/** Refuses to replace an object that another one replaces already. Lock the object first. */
export async function refuseSecond(
  transaction: Transaction,
  { title }: Definition,
  id: string,
): Promise<void> {
  const [before] = await byOldId(transaction, { old_id: id });
  if (before)
    throw new RequestError(
      "taken",
      `${title} ${id} is replaced by ${before.new_id} already; delete one of the two first`,
      { field: "replaces" },
    );
}

/**
 * Lets a new object have the unique values that it shares with the one that it replaces: for these, the old
 * one counts as absent from now on.
 */
export async function handOver(
  transaction: Transaction,
  ids: { readonly old_id: string; readonly new_id: string },
  claimed: readonly Key[],
): Promise<void> {
  await pipelined([
    insertReplacement(transaction, ids),
    ...claimed.map(({ scope, value }) => deleteKey(transaction, { scope, value, resource_id: ids.old_id })),
  ]);
}

/**
 * After objects were deleted: those that they replaced get their unique values back, as far as these are
 * free.
 */
export async function giveBack(
  transaction: Transaction,
  documents: Documents,
  deleted: readonly string[],
): Promise<void> {
  const ids = deleted.filter((id) => {
    const definition = definitionOfId(id);
    return definition !== undefined && handsOver(definition);
  });
  const ended = await inParts(ids, (part) => ofObjects(transaction, { ids: part }));
  if (ended.length === 0) return;
  await inParts(ids, (part) => forget(transaction, { ids: part }));
  for (const { old_id: id } of ended) {
    const [row] = await findById(transaction, { id });
    if (!row) continue;
    const definition = definitionNamed(row.kind);
    const json = await documents.read(transaction, definition, row.document, `${id} ${row.version}`);
    const keys = keysOf(id, definition, documents.sentOf(definition, JSON.parse(json)));
    const claims = keys.map(({ scope, value }) => ({ scope, key: value }));
    const held = await new Existing(transaction).holdersOf(claims);
    const free = keys.filter(
      (one) => !held.some((row) => row.scope === one.scope && row.value === one.value),
    );
    await insertUniqueKeys(transaction, free);
  }
}

const byOldId = statement<{ old_id: string }, { new_id: string }>((db, parameter) =>
  db.selectFrom("replacement").select("new_id").where("old_id", "=", parameter("old_id")),
);

const ofObjects = statement<{ ids: string }, { old_id: string }>((db, parameter) =>
  db
    .selectFrom("replacement")
    .select("old_id")
    .where((where) =>
      where.or([isListed(db, "old_id", parameter("ids")), isListed(db, "new_id", parameter("ids"))]),
    ),
);

const forget = effect<{ ids: string }>((db, parameter) =>
  db
    .deleteFrom("replacement")
    .where((where) =>
      where.or([isListed(db, "old_id", parameter("ids")), isListed(db, "new_id", parameter("ids"))]),
    ),
);

const insertReplacement = insertion("replacement", ["old_id", "new_id"]);

const deleteKey = effect<Key>((db, parameter) =>
  db
    .deleteFrom("unique_key")
    .where("scope", "=", parameter("scope"))
    .where("value", "=", parameter("value"))
    .where("resource_id", "=", parameter("resource_id")),
);
