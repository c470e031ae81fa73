import {
  definitionNamed,
  definitionOf,
  definitionOfId,
  EDGE_KINDS,
  exchangedSecrets,
  present,
} from "@tunnelplane/sdk/contract";
import type { WorldObject } from "@tunnelplane/sdk/meaning";
import { isHostport } from "@tunnelplane/sdk/rules";
import type { Kysely } from "kysely";
import type { Documents } from "../documents";
import type { ObjectChange } from "../journal";
import { type Database, partsOf, pipelined, statement } from "../storage";
import {
  candidatesOf,
  edgesAt,
  Gathering,
  MOST_OBJECTS,
  type NamedRow,
  newest,
  objectOf,
  storedObject,
} from "./gather";

/** The limit of users of the changed objects, of routes of each edge, and of competing edges. */
const MOST_USERS = 200;

interface Around {
  /** Everything that was read, as it is after the changes. */
  readonly objects: Iterable<WorldObject>;
  /** The changed objects, before and after. */
  readonly changed: readonly WorldObject[];
  /** The objects of both worlds. @param now those after the changes, by id */
  sidesOf(now: ReadonlyMap<string, WorldObject>): { before: WorldObject[]; after: WorldObject[] };
}

interface AroundOptions {
  /** The names of objects for people, by id. */
  readonly names?: ReadonlyMap<string, string>;
  /** Gets sentences about parts that were not examined. */
  readonly limits: string[];
  /** Limits of users and objects that are read. */
  readonly most?: { readonly users: number; readonly objects: number };
  /**
   * Whether the changes may matter at edges that do not refer to them. Default: restrictions of all edges do.
   */
  readonly mattersEverywhere?: (changed: readonly WorldObject[]) => boolean;
}

/**
 * Reads the objects that decide requests together with the changed ones: those that they refer to, those that
 * use them up to the edges, the edges that compete with these for names, and all routes. In the transaction
 * of the change, or outside of it.
 */
export async function objectsAround(
  db: Kysely<Database>,
  { documents, project }: { readonly documents: Documents; readonly project: string },
  changes: readonly ObjectChange[],
  {
    names = new Map(),
    limits,
    most = { users: MOST_USERS, objects: MOST_OBJECTS },
    mattersEverywhere,
  }: AroundOptions,
): Promise<Around> {
  const { was, is } = sidesOf(changes, names);
  const changed = [...was.values(), ...is.values()].flatMap((object) => object ?? []);
  const gathering = new Gathering(db, documents, project, most.objects);
  const [users] = await pipelined([
    usersOf(db, changed, { limits, most: most.users }),
    gathering.add([...is.values()].flatMap((object) => object ?? [])),
    // An object that was referenced before still exists, or was deleted in the same transaction.
    gathering.addTargetsOf([...was.values()].flatMap((object) => object ?? [])),
    gathering.addRestrictions(),
  ]);
  const using = await gathering.read(users);
  await gathering.add(using);
  const isOfAll =
    changed.some(({ kind, fields }) => kind === "ip_restriction" && fields.type === "endpoints") ||
    users.some((id) => gathering.objects.get(id)?.kind === "ip_restriction");
  const others =
    isOfAll || mattersEverywhere?.(changed) === true
      ? await someEdges(db, { project, most: most.users, limits })
      : [];
  // Routes compete with those beside them, and one that cannot be enforced closes all of them.
  const around = [...changed, ...using].flatMap(
    ({ fields }) => gathering.objects.get(String(fields.edge_id)) ?? [],
  );
  const bounds = { limits, most: most.users };
  const competing = await gathering.read([
    ...(await competingEdges(db, changed, bounds)),
    ...(await edgesBelow(db, [...changed, ...using, ...around], bounds)),
  ]);
  await gathering.add([...others, ...competing]);
  await gathering.add(
    await routesAmong(db, [...changed, ...using, ...others, ...competing, ...around], {
      limits,
      most: most.users,
    }),
  );
  if (gathering.full)
    limits.push(
      `Only the first ${most.objects.toLocaleString("en-US")} objects that belong to the change were examined.`,
    );
  return {
    objects: gathering.objects.values(),
    changed,
    sidesOf(now) {
      const hidden = new Set([...now.values()].filter((object) => object.hidden).map(({ id }) => id));
      const [before, after] = [new Map(now), new Map(now)];
      for (const [id, object] of was) replace(before, id, object, hidden);
      for (const [id, object] of is) replace(after, id, object, hidden);
      return { before: [...before.values()], after: [...after.values()] };
    },
  };
}

type Side = Map<string, WorldObject | undefined>;

/** The changed objects by id; undefined if there is none. */
function sidesOf(
  changes: readonly ObjectChange[],
  names: ReadonlyMap<string, string>,
): { readonly was: Side; readonly is: Side } {
  const [was, is]: [Side, Side] = [new Map(), new Map()];
  for (const { id, definition, before, after, name } of changes) {
    const key = names.get(id);
    const called = key === undefined ? {} : { name: key.slice(key.indexOf("/") + 1), urn: key };
    if (!was.has(id)) was.set(id, before && { ...objectOf(definition, before, name), ...called });
    const exchanged = before && after ? exchangedSecrets(definition, before, after) : [];
    const newSecrets = [...(is.get(id)?.newSecrets ?? []), ...exchanged];
    is.set(id, after && { ...objectOf(definition, after, name), ...called, newSecrets });
  }
  return { was, is };
}

interface Bounds {
  readonly limits: string[];
  readonly most: number;
}

function replace(
  objects: Map<string, WorldObject>,
  id: string,
  object: WorldObject | undefined,
  hidden: ReadonlySet<string | undefined>,
): void {
  const used = objects.get(id)?.used;
  if (object) objects.set(id, { ...object, ...(used && { used }), ...(hidden.has(id) && { hidden: true }) });
  else objects.delete(id);
}

/** Kinds through which a change reaches an address. */
export const CLIMBED = /^(ip_policy|certificate_authority|event_destination|[a-z_]+_backend)$/;

/**
 * Everything that uses the changed objects, up to edges and routes.
 * @param bounds `lock` gets the objects on the way before their users are read
 */
export async function usersOf(
  transaction: Kysely<Database>,
  changed: readonly Pick<WorldObject, "id" | "fields">[],
  { limits, most, lock }: Bounds & { readonly lock?: (ids: readonly string[]) => Promise<unknown> },
): Promise<string[]> {
  const found = new Set<string>();
  const climb = (id: string) => CLIMBED.test(definitionOfId(id)?.kind ?? "");
  const policiesOf = ({ fields }: Pick<WorldObject, "fields">) =>
    (fields.ip_policy as { id?: string } | undefined)?.id ?? "";
  const destinationsOf = ({ fields }: Pick<WorldObject, "fields">) =>
    ((fields.destinations ?? []) as { id: string }[]).map(({ id }) => id);
  let level = [
    ...new Set(
      changed
        .flatMap((object) => [object.id ?? "", policiesOf(object), ...destinationsOf(object)])
        .filter(climb),
    ),
  ];
  const climbed = new Set(level);
  while (level.length > 0 && found.size < most) {
    await lock?.(level);
    const rows = (await pipelined(level.map((id) => users(transaction, { id, limit: most + 1 })))).flat();
    for (const { from_id } of rows) found.add(from_id);
    level = rows.map(({ from_id }) => from_id).filter((id) => climb(id) && !climbed.has(id));
    for (const id of level) climbed.add(id);
  }
  if (found.size > most)
    limits.push(`Only the first ${most} objects that use the changed ones were examined.`);
  return [...found].slice(0, most);
}

export const users = statement<{ id: string; limit: number }, { from_id: string }>((db, parameter) =>
  db
    .selectFrom("reference")
    .select("from_id")
    .distinct()
    .where("to_id", "=", parameter("id"))
    .where("cascades", "=", 0)
    .orderBy("from_id")
    .limit(parameter("limit")),
);

/** The newest edges, at which a change may matter whatever they refer to. */
async function someEdges(
  db: Kysely<Database>,
  { project, most, limits }: Bounds & { readonly project: string },
): Promise<WorldObject[]> {
  const pages = await pipelined(EDGE_KINDS.map((kind) => newest(db, { kind, project, limit: most + 1 })));
  if (pages.some((rows) => rows.length > most))
    limits.push(`Only the newest ${most} edges of each kind were examined.`);
  return pages.flatMap((rows, index) =>
    rows.slice(0, most).map((row) => storedObject(definitionNamed(present(EDGE_KINDS[index])), row)),
  );
}

/** Edges whose hostports take names from the changed ones, or give names to them. */
async function competingEdges(
  transaction: Kysely<Database>,
  changed: readonly WorldObject[],
  { limits, most }: Bounds,
): Promise<string[]> {
  const own = new Set(changed.map(({ id }) => id));
  const candidates = [...new Set(changed.flatMap(hostportsOf).filter(isHostport).flatMap(candidatesOf))];
  // Not with `inParts`, which gives up its turn: the transaction holds the one lock for writing.
  const found = await pipelined(partsOf(candidates).map((values) => edgesAt(transaction, { values })));
  const edges = [...new Set(found.flat().map(({ resource_id }) => resource_id))].filter((id) => !own.has(id));
  if (edges.length > most)
    limits.push(`Only ${most} edges were examined that compete for names with the changed ones.`);
  return edges.slice(0, most);
}

/** Edges that take names of wildcards. */
async function edgesBelow(
  db: Kysely<Database>,
  objects: readonly WorldObject[],
  { limits, most }: Bounds,
): Promise<string[]> {
  const wildcards = new Set(
    objects.flatMap(hostportsOf).filter((hostport) => hostport.startsWith("*.") && isHostport(hostport)),
  );
  const found = new Set<string>();
  for (const wildcard of wildcards) {
    const suffix = wildcard.slice(1).toLowerCase();
    const below = await holdersBelow(db, { pattern: `%${suffix}`, deeper: `%.%${suffix}`, limit: most + 1 });
    for (const { resource_id } of below) found.add(resource_id);
  }
  if (found.size > most) limits.push(`Only ${most} edges below a wildcard were examined.`);
  return [...found].slice(0, most);
}

const hostportsOf = ({ fields: { hostports } }: WorldObject): string[] =>
  Array.isArray(hostports) ? hostports.map(String) : [];

const holdersBelow = statement<{ pattern: string; deeper: string; limit: number }, { resource_id: string }>(
  (db, parameter) =>
    db
      .selectFrom("unique_key")
      .select("resource_id")
      .where("scope", "=", "hostport")
      .where("value", "like", parameter("pattern"))
      .where("value", "not like", parameter("deeper"))
      .where("value", "not like", "*%")
      .limit(parameter("limit")),
);

/**
 * The routes of the HTTPS edges among these objects, because the requirements of an edge apply to its routes.
 */
async function routesAmong(
  transaction: Kysely<Database>,
  objects: readonly WorldObject[],
  { limits, most }: Bounds,
): Promise<WorldObject[]> {
  const route = definitionOf("https_edge_route");
  const edges = [...new Set(objects.filter(({ kind }) => kind === "https_edge").map(({ id = "" }) => id))];
  const rows = await pipelined(edges.map((id) => routesOf(transaction, { id, limit: most + 1 })));
  if (rows.some(({ length }) => length > most))
    limits.push(`Only the newest ${most} routes of each edge were examined.`);
  return rows.flatMap((some) => some.slice(0, most).map((row) => storedObject(route, row)));
}

const routesOf = statement<{ id: string; limit: number }, NamedRow>((db, parameter) =>
  db
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .select(["resource.document", "resource.name"])
    .where("to_id", "=", parameter("id"))
    .where("cascades", "=", 1)
    .orderBy("resource.id", "desc")
    .limit(parameter("limit")),
);
