import {
  createSchema,
  type Definition,
  definitionOfId,
  type FoundReference,
  marksOf,
  oncePer,
  referencesIn,
  registry,
  targetsOf,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Document } from "../documents";
import { type Database, PLACEHOLDER, statement } from "../storage";
import { refuseFaults } from "../util";

/** Limit of objects that a walk visits, and of references that it reads. No sensible tree is larger. */
const MOST_LOOKED_AT = 1_000;
const MOST_READ = 10_000;

/** The fields through which objects of a type may contain each other. */
const nestingFields = oncePer((definition: Definition): string[] =>
  Object.entries(definition.fields)
    .filter(([, field]) => targetsOf(marksOf(field).reference?.to ?? []).includes(definition))
    .map(([name]) => name),
);

/** Whether objects of a type may contain each other. */
export const nests = (definition: Definition): boolean => nestingFields(definition).length > 0;

/** Id prefixes of the types whose objects contain others. */
const nesting = new Set(registry.filter(nests).map(({ idPrefix }) => idPrefix));
const mayContain = (id: string): boolean => nesting.has(definitionOfId(id)?.idPrefix ?? "");

/**
 * Lets only one writer at a time change what objects contain. Otherwise two writers could each add one half
 * of a circle without seeing the other. Lock this before any object, so that writers do not deadlock.
 */
export async function takeTurnToNest(
  transaction: Kysely<Database>,
  definition: Definition,
  changes: Document,
): Promise<void> {
  if (nestingFields(definition).some((field) => field in changes)) await takeTurnOfAll(transaction);
}

/** The same for a change of any number of objects. */
export const takeTurnOfAll = (transaction: Kysely<Database>): Promise<unknown> =>
  turn(transaction, { name: PLACEHOLDER });

/** Every database has this row from its first start on. */
const turn = statement<{ name: string }, unknown>((db, parameter) =>
  db.selectFrom("setting").select("name").where("name", "=", parameter("name")).forUpdate(),
);

/** Refuses a change that makes an object contain itself, directly or through others, and names the circle. */
export async function refuseCircles(
  transaction: Kysely<Database>,
  definition: Definition,
  id: string,
  sent: Document,
): Promise<void> {
  if (!nests(definition)) return;
  const found = referencesIn(createSchema(definition), sent).filter((reference) => mayContain(reference.id));
  /** Each object that was reached, and through which one. */
  const reached = new Map<string, string | undefined>(found.map((reference) => [reference.id, undefined]));
  let read = 0;
  // The loop adds to the map while it walks it.
  for (const [from] of reached) {
    if (from === id) refuse(found, circleOf(id, reached));
    if (reached.size > MOST_LOOKED_AT || read > MOST_READ)
      refuse(found, `contains more than ${MOST_LOOKED_AT} backends that contain others; nest fewer`);
    const rows = await containedIn(transaction, { id: from });
    read += rows.length;
    for (const { to_id } of rows) if (mayContain(to_id) && !reached.has(to_id)) reached.set(to_id, from);
  }
}

/** The way from the object back to itself. The walk is breadth-first, so no circle is shorter. */
function circleOf(id: string, reached: ReadonlyMap<string, string | undefined>): string {
  const circle = [id];
  for (let at = reached.get(id); at !== undefined; at = reached.get(at)) circle.unshift(at);
  return `makes a circle: ${wayRound([id, ...circle])}; a backend may not contain itself, so leave one of these out`;
}

/**
 * A longer circle is shown by so many members of each end: with keys of 255 bytes, all of 5,000 made a
 * message of 2.7 MB.
 */
const MEMBERS_SHOWN = 5;

/** A circle in words: `a → b → a`. @param members in their order, the first one again at the end */
export function wayRound(members: readonly string[]): string {
  const count = members.length - 1;
  if (count <= 2 * MEMBERS_SHOWN) return members.join(" → ");
  const ends = [
    members.slice(0, MEMBERS_SHOWN),
    [`… (${count} in all) …`],
    members.slice(-MEMBERS_SHOWN - 1, -1),
    members.slice(-1),
  ];
  return ends.flat().join(" → ");
}

/** Names the entry of the body where the walk began, if it is known. */
function refuse(found: readonly FoundReference[], message: string): void {
  const first = found.find((reference) => message.includes(` → ${reference.id}`)) ?? found[0];
  refuseFaults([{ error: "invalid_field", path: first?.path ?? [], message }]);
}

const containedIn = statement<{ id: string }, { to_id: string }>((db, parameter) =>
  db.selectFrom("reference").select("to_id").where("from_id", "=", parameter("id")).limit(MOST_READ),
);
