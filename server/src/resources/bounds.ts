import { definitionOf, type Kind, plural } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { ObjectChange } from "../journal";
import { type Database, statement, Transaction } from "../storage";
import { RequestError } from "../util";

/**
 * The most objects of a kind, where the server looks through all of them: through identities for each token,
 * and it keeps the names of projects in memory, beside `default`.
 */
const MOST: Readonly<Partial<Record<Kind, number>>> = {
  workload_identity: 1000,
  project: 1000,
  membership: 10_000,
};

/** Refuses creations beyond a limit on objects; requests at the same time may go a little beyond it. */
export async function refuseBeyondBounds(
  db: Kysely<Database>,
  changes: readonly ObjectChange[],
): Promise<void> {
  const made = new Map<Kind, number>();
  for (const { change, definition } of changes)
    if (change === "created" && MOST[definition.kind] !== undefined)
      made.set(definition.kind, (made.get(definition.kind) ?? 0) + 1);
  for (const [kind, count] of made) {
    const [row] = await countOf(db, { kind });
    // Planned objects are not stored.
    const all = Number(row?.count) + (db instanceof Transaction ? 0 : count);
    const most = MOST[kind] ?? all;
    if (all > most)
      throw new RequestError(
        "taken",
        `There are at most ${most.toLocaleString("en-US")} ${plural(definitionOf(kind).title)}, and this would make ${all.toLocaleString("en-US")}; delete some first`,
      );
  }
}

const countOf = statement<{ kind: string }, { count: number | string | bigint }>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("kind", "=", parameter("kind")),
);
