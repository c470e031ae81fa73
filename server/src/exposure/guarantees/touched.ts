import {
  definitionOfId,
  EDGE_KINDS,
  isAddress,
  isEdgeKind,
  own,
  UNNOTICED_FIELDS,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { RESTRICTING } from "../../auth";
import type { Document } from "../../documents";
import type { ObjectChange } from "../../journal";
import type { Database } from "../../storage";
import { climb } from "../around";
import { MAX_EDGES, tooMany } from "./limits";
import { allReferrersOf, fieldsIn, hostportsOfAll, keepObjects, lockObjects } from "./table";

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
  "workload_identity",
  "project",
  "membership",
  "guarantee",
  "tls_certificate",
  "reserved_domain",
  "reserved_addr",
]);

/**
 * Kinds that decide from their creation to their deletion. An object of another kind matters only through the
 * objects that refer to it, and these change as well when it is created or deleted.
 */
const DECIDING_ALONE = new Set<string>([
  ...EDGE_KINDS,
  "https_edge_route",
  "ip_policy_rule",
  "ip_restriction",
]);

/** The changes that may let somebody in or keep somebody out. */
export const decidingAmong = (changes: readonly ObjectChange[]): ObjectChange[] =>
  changes.filter(
    ({ definition: { kind }, before, after }) =>
      !APART.has(kind) && (DECIDING_ALONE.has(kind) || (before && after)) && differ(before, after),
  );

/** The hostports where changes may change decisions, if the changes alone show them; else undefined. */
export const hostportsNamed = (changes: readonly ObjectChange[]): string[] | undefined =>
  changes.every(({ definition }) => isEdgeKind(definition.kind))
    ? declaredIn(changes.flatMap(({ before, after }) => [before ?? {}, after ?? {}]))
    : undefined;

/** Whether the sides of a change differ in more than what no decision looks at. */
export function differ(before: Document | undefined, after: Document | undefined): boolean {
  if (!before || !after) return true;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of UNNOTICED_FIELDS) names.delete(name);
  return [...names].some((name) => JSON.stringify(own(before, name)) !== JSON.stringify(own(after, name)));
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
  const others = sides.filter(({ kind }) => !isEdgeKind(kind) && kind !== "https_edge_route");
  const limits: string[] = [];
  const using = await climb(others, {
    limits,
    most: MAX_EDGES,
    referrersOf: async (ids) => {
      await lockObjects(
        db,
        ids.filter((id) => !own.has(id)),
      );
      return allReferrersOf(db, ids, MAX_EDGES + 1);
    },
  });
  if (limits.length > 0) throw tooMany();
  if (sides.some(isOfAllEdges) || (await usedByAll(db, using))) return allHostports(db);
  const near = await keepObjects(
    db,
    [...new Set([...edgesOf(sides), ...using])].filter((id) => !own.has(id)),
  );
  const read = near.map(({ kind, document }) => ({ kind, fields: fieldsIn(document) }));
  const above = await keepObjects(db, [...new Set(edgesOf(read))]);
  return declaredIn([
    ...[...sides, ...read].map(({ fields }) => fields),
    ...above.map(({ document }) => fieldsIn(document)),
  ]);
}

const isOfAllEdges = ({ kind, fields }: { readonly kind: string; readonly fields: Document }): boolean =>
  kind === "ip_restriction" && fields.type === "endpoints";

/** Whether a restriction of all edges is among these. */
async function usedByAll(db: Kysely<Database>, ids: readonly string[]): Promise<boolean> {
  const restrictions = ids.filter((id) => definitionOfId(id)?.kind === "ip_restriction");
  if (restrictions.length === 0) return false;
  const rows = await keepObjects(db, restrictions);
  return rows.some(({ kind, document }) => isOfAllEdges({ kind, fields: fieldsIn(document) }));
}

async function allHostports(db: Kysely<Database>): Promise<string[]> {
  const rows = await hostportsOfAll(db, { limit: MAX_EDGES + 1 });
  if (rows.length > MAX_EDGES) throw tooMany();
  return rows.map(({ value }) => value);
}

/** Whether a change may matter at the edges of every project. */
export const isOfEveryProject = ({ definition: { kind } }: ObjectChange): boolean =>
  RESTRICTING.includes(kind);

const declaredIn = (objects: readonly Document[]): string[] =>
  [...new Set(objects.flatMap(hostportsIn).map((hostport) => hostport.toLowerCase()))].filter((one) =>
    isAddress(one, { wildcard: true }),
  );

const edgesOf = (objects: readonly { readonly fields: Document }[]): string[] =>
  objects.flatMap(({ fields }) => textOf(fields.edge_id));

const textOf = (value: unknown): string[] => (typeof value === "string" ? [value] : []);

const hostportsIn = ({ hostports }: Document): string[] =>
  Array.isArray(hostports) ? hostports.map(String) : [];
