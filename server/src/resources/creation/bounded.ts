import { type Definition, plural } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Database, statement } from "../../storage";
import { RequestError } from "../../util";

/**
 * Refuses a creation beyond a type's limit on objects; requests at the same time may go a little beyond it.
 */
export async function refuseBeyond(
  reader: Kysely<Database>,
  { kind, title }: Definition,
  most: number,
): Promise<void> {
  const [row] = await countOf(reader, { kind });
  if (Number(row?.count) >= most)
    throw new RequestError("taken", `There are ${most} ${plural(title)} already; delete one first`);
}

const countOf = statement<{ kind: string }, { count: number | string | bigint }>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("kind", "=", parameter("kind")),
);
