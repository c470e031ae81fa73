import { UNNOTICED_FIELDS } from "@tunnelplane/sdk/contract";
import { isHostport } from "@tunnelplane/sdk/rules";
import type { Kysely } from "kysely";
import type { Document } from "../documents";
import { usersOf } from "../exposure";
import type { ObjectChange } from "../journal";
import type { Database } from "../storage";
import { MOST_EDGES, tooMany } from "./limits";
import { keepObjects, lockObjects } from "./table";

/** Kinds that cannot let anybody in or keep anybody out. */
const APART = new Set([
  "tunnel_credential",
  "ssh_credential",
  "ssh_certificate_authority",
  "ssh_user_certificate",
  "ssh_host_certificate",
  "event_destination",
  "event_subscription",
  "api_key",
  "bot_user",
  "guarantee",
]);

/** The changes that may let somebody in or keep somebody out. */
export const decidingAmong = (changes: readonly ObjectChange[]): ObjectChange[] =>
  changes.filter(({ definition, before, after }) => !APART.has(definition.kind) && differ(before, after));

function differ(before: Document | undefined, after: Document | undefined): boolean {
  if (!before || !after) return true;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of UNNOTICED_FIELDS) names.delete(name);
  return [...names].some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/**
 * The hostports where changes may change decisions. In a transaction, everything on the way to them stays as
 * it was read: of two changes that meet at an edge, the second sees what the first did there.
 */
export async function hostportsTouched(
  db: Kysely<Database>,
  changes: readonly ObjectChange[],
): Promise<string[]> {
  const sides = changes.flatMap(({ id, definition, before, after }) =>
    [before, after].flatMap((fields) => (fields ? { id, kind: definition.kind, fields } : [])),
  );
  const own = new Set(sides.map(({ id }) => id));
  const others = sides.filter(({ kind }) => !isEdge(kind) && kind !== "https_edge_route");
  const limits: string[] = [];
  const using = await usersOf(db, others, {
    limits,
    most: MOST_EDGES,
    lock: (ids) =>
      lockObjects(
        db,
        ids.filter((id) => !own.has(id)),
      ),
  });
  if (limits.length > 0) throw tooMany();
  const near = await keepObjects(
    db,
    [...new Set([...edgesOf(sides), ...using])].filter((id) => !own.has(id)),
  );
  const read = near.map(({ kind, document }) => ({ kind, fields: JSON.parse(document) as Document }));
  const above = await keepObjects(db, [...new Set(edgesOf(read))]);
  const all = [...sides, ...read, ...above.map(({ document }) => ({ fields: JSON.parse(document) }))];
  return [
    ...new Set(all.flatMap(({ fields }) => hostportsIn(fields)).map((hostport) => hostport.toLowerCase())),
  ].filter(isHostport);
}

const edgesOf = (objects: readonly { readonly fields: Document }[]): string[] =>
  objects.flatMap(({ fields }) => textOf(fields.edge_id));

const isEdge = (kind: string): boolean => kind === "tls_edge" || kind === "https_edge";

const textOf = (value: unknown): string[] => (typeof value === "string" ? [value] : []);

const hostportsIn = ({ hostports }: Document): string[] =>
  Array.isArray(hostports) ? hostports.map(String) : [];
