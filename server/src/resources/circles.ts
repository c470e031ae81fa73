import {
  createSchema,
  type Definition,
  definitionOfId,
  type FoundReference,
  marksOf,
  referencesIn,
  registry,
  targetsOf,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Document } from "../documents";
import { type Database, PLACEHOLDER, statement } from "../storage";
import { refuseFaults } from "../util";

/** As many objects as a walk looks at, and references as it reads. Somebody who has more of them in one tree has a circle of another kind. */
const MOST_LOOKED_AT = 1_000;
const MOST_READ = 10_000;

/** The fields of a kind by which its objects may contain one another. */
const nestingFields = (definition: Definition): string[] =>
  Object.entries(definition.fields)
    .filter(([, field]) => targetsOf(marksOf(field).reference?.to ?? []).includes(definition))
    .map(([name]) => name);

/** The kinds whose objects contain others, by the beginnings of their ids. */
const nesting = new Set(registry.filter((definition) => nestingFields(definition).length > 0).map(({ idPrefix }) => idPrefix));
const mayContain = (id: string): boolean => nesting.has(definitionOfId(id)?.idPrefix ?? "");

/**
 * Lets one writer at a time say anew what an object contains: two who each add one half of a circle would not see each other.
 * Taken before any object is locked, so that nobody waits in a circle for the other's.
 */
export async function takeTurnToNest(transaction: Kysely<Database>, definition: Definition, changes: Document): Promise<void> {
  if (nestingFields(definition).some((field) => field in changes)) await turn(transaction, { name: PLACEHOLDER });
}

/** A row that every database has, from its first start on. */
const turn = statement<{ name: string }, unknown>((db, parameter) =>
  db.selectFrom("setting").select("name").where("name", "=", parameter("name")).forUpdate(),
);

/** Refuses what would make an object contain itself, directly or through others, and names the circle. */
export async function refuseCircles(transaction: Kysely<Database>, definition: Definition, id: string, sent: Document): Promise<void> {
  if (nestingFields(definition).length === 0) return;
  const found = referencesIn(createSchema(definition), sent).filter((reference) => mayContain(reference.id));
  /** Each object that was reached, and through which one. */
  const reached = new Map<string, string | undefined>(found.map((reference) => [reference.id, undefined]));
  let read = 0;
  // Grows while it is walked through.
  for (const [from] of reached) {
    if (from === id) refuse(found, circleOf(id, reached));
    if (reached.size > MOST_LOOKED_AT || read > MOST_READ)
      refuse(found, `contains more than ${MOST_LOOKED_AT} backends that contain others; nest fewer`);
    const rows = await containedIn(transaction, { id: from });
    read += rows.length;
    for (const { to_id } of rows) if (mayContain(to_id) && !reached.has(to_id)) reached.set(to_id, from);
  }
}

/** From the object back to itself: a map remembers in which order it was reached, so the circle is as short as any. */
function circleOf(id: string, reached: ReadonlyMap<string, string | undefined>): string {
  const circle = [id];
  for (let at = reached.get(id); at !== undefined; at = reached.get(at)) circle.unshift(at);
  return `makes a circle: ${[id, ...circle].join(" → ")}; a backend may not contain itself, so leave one of these out`;
}

/** Names the entry by which the walk began, as far as one can be told. */
function refuse(found: readonly FoundReference[], message: string): void {
  const first = found.find((reference) => message.includes(` → ${reference.id}`)) ?? found[0];
  refuseFaults([{ error: "invalid_field", path: first?.path ?? [], message }]);
}

const containedIn = statement<{ id: string }, { to_id: string }>((db, parameter) =>
  db.selectFrom("reference").select("to_id").where("from_id", "=", parameter("id")).limit(MOST_READ),
);
