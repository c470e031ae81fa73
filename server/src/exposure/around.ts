import { definitionOfId, exchangedSecrets } from "@tunnelplane/sdk/contract";
import type { WorldObject } from "@tunnelplane/sdk/meaning";
import { isHostport } from "@tunnelplane/sdk/rules";
import type { ObjectChange } from "../journal";
import { pipelined } from "../util";
import { candidatesOf, objectOf, type View } from "../view";
import { Gathering, MAX_OBJECTS } from "./gather";

/** The limit of referrers of the changed objects, of routes of each edge, and of competing edges. */
const MAX_REFERRERS = 200;

/** Identifies an object of a world. Restrictions of which the caller may see only the networks have "". */
export const keyOf = ({ id, urn }: WorldObject): string => id ?? urn ?? "";

/** The objects of both worlds around some changes. */
interface Around {
  /** Everything that was read, as it is after the changes, by {@link keyOf}. */
  readonly objects: ReadonlyMap<string, WorldObject>;
  /** The changed objects, before and after. */
  readonly changed: readonly WorldObject[];
  /** The objects of both worlds. @param now those after the changes, by {@link keyOf} */
  sidesOf(now: ReadonlyMap<string, WorldObject>): { before: WorldObject[]; after: WorldObject[] };
}

interface AroundOptions {
  /** The names of objects for people, by id. */
  readonly names?: ReadonlyMap<string, string>;
  /** Gets sentences about parts that were not examined. */
  readonly limits: string[];
  /** Limits of referrers and objects that are read. */
  readonly most?: { readonly referrers: number; readonly objects: number };
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
  view: View,
  changes: readonly ObjectChange[],
  {
    names = new Map(),
    limits,
    most = { referrers: MAX_REFERRERS, objects: MAX_OBJECTS },
    mattersEverywhere,
  }: AroundOptions,
): Promise<Around> {
  const { was, is } = sidesOf(changes, names);
  const changed = [...was.values(), ...is.values()].flatMap((object) => object ?? []);
  const gathering = new Gathering(view, most.objects);
  const [referrers] = await pipelined([
    referrersOf(view, changed, { limits, most: most.referrers }),
    gathering.add([...is.values()].flatMap((object) => object ?? [])),
    // An object that was referenced before still exists, or was deleted in the same transaction.
    gathering.addTargetsOf([...was.values()].flatMap((object) => object ?? [])),
    gathering.addRestrictions(),
  ]);
  const using = await gathering.read(referrers);
  await gathering.add(using);
  const isOfAll =
    changed.some(({ kind, fields }) => kind === "ip_restriction" && fields.type === "endpoints") ||
    gathering.isRestrictedBy(changed);
  const others =
    isOfAll || mattersEverywhere?.(changed) === true
      ? await newestEdges(view, { most: most.referrers, limits })
      : [];
  // Routes compete with those beside them, and one that cannot be enforced closes all of them.
  const around = [...changed, ...using].flatMap(
    ({ fields }) => gathering.objects.get(String(fields.edge_id)) ?? [],
  );
  const bounds = { limits, most: most.referrers };
  const competing = await gathering.read([
    ...(await competingEdges(view, changed, bounds)),
    ...(await edgesBelow(view, [...changed, ...using, ...around], bounds)),
  ]);
  await gathering.add([...others, ...competing]);
  await gathering.add(
    await routesAmong(view, [...changed, ...using, ...others, ...competing, ...around], {
      limits,
      most: most.referrers,
    }),
  );
  if (gathering.full)
    limits.push(
      `Only the first ${most.objects.toLocaleString("en-US")} objects that belong to the change were examined.`,
    );
  return {
    objects: new Map(gathering.all.map((object) => [keyOf(object), object])),
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

/** Everything that a view shows of what uses the changed objects, up to edges and routes. */
const referrersOf = (
  view: View,
  changed: readonly WorldObject[],
  { limits, most }: Bounds,
): Promise<string[]> =>
  climb(changed, {
    limits,
    most,
    referrersOf: async (ids) => (await view.referrersOf(ids, most + 1)).flat(),
  });

/**
 * Everything that uses the changed objects, up to edges and routes.
 * @param bounds `referrersOf` finds who refers to objects
 */
export async function climb(
  changed: readonly Pick<WorldObject, "id" | "fields">[],
  {
    limits,
    most,
    referrersOf: find,
  }: Bounds & { readonly referrersOf: (ids: readonly string[]) => Promise<readonly string[]> },
): Promise<string[]> {
  const found = new Set<string>();
  const isClimbed = (id: string) => CLIMBED.test(definitionOfId(id)?.kind ?? "");
  const policiesOf = ({ fields }: Pick<WorldObject, "fields">) =>
    (fields.ip_policy as { id?: string } | undefined)?.id ?? "";
  const destinationsOf = ({ fields }: Pick<WorldObject, "fields">) =>
    ((fields.destinations ?? []) as { id: string }[]).map(({ id }) => id);
  let level = [
    ...new Set(
      changed
        .flatMap((object) => [object.id ?? "", policiesOf(object), ...destinationsOf(object)])
        .filter(isClimbed),
    ),
  ];
  const climbed = new Set(level);
  while (level.length > 0 && found.size < most) {
    const referrers = await find(level);
    for (const id of referrers) found.add(id);
    level = [...new Set(referrers)].filter((id) => isClimbed(id) && !climbed.has(id));
    for (const id of level) climbed.add(id);
  }
  if (found.size > most)
    limits.push(`Only the first ${most} objects that use the changed ones were examined.`);
  return [...found].slice(0, most);
}

/** The newest edges, at which a change may matter whatever they refer to. */
async function newestEdges(view: View, { most, limits }: Bounds): Promise<WorldObject[]> {
  const pages = await view.newestEdges(most + 1);
  if (pages.some((edges) => edges.length > most))
    limits.push(`Only the newest ${most} edges of each kind were examined.`);
  return pages.flatMap((edges) => edges.slice(0, most));
}

/** Edges whose hostports take names from the changed ones, or give names to them. */
async function competingEdges(
  view: View,
  changed: readonly WorldObject[],
  { limits, most }: Bounds,
): Promise<string[]> {
  const own = new Set(changed.map(({ id }) => id));
  const found = await view.edgesAt(changed.flatMap(hostportsOf).filter(isHostport).flatMap(candidatesOf));
  const edges = [...new Set(found.map(({ resource_id }) => resource_id))].filter((id) => !own.has(id));
  if (edges.length > most)
    limits.push(`Only ${most} edges were examined that compete for names with the changed ones.`);
  return edges.slice(0, most);
}

/** Edges that take names of wildcards. */
async function edgesBelow(
  view: View,
  objects: readonly WorldObject[],
  { limits, most }: Bounds,
): Promise<string[]> {
  const wildcards = new Set(
    objects.flatMap(hostportsOf).filter((hostport) => hostport.startsWith("*.") && isHostport(hostport)),
  );
  const found = new Set<string>();
  for (const wildcard of wildcards) for (const id of await view.edgesBelow(wildcard, most + 1)) found.add(id);
  if (found.size > most) limits.push(`Only ${most} edges below a wildcard were examined.`);
  return [...found].slice(0, most);
}

const hostportsOf = ({ fields: { hostports } }: WorldObject): string[] =>
  Array.isArray(hostports) ? hostports.map(String) : [];

/**
 * The routes of the HTTPS edges among these objects, because the requirements of an edge apply to its routes.
 */
async function routesAmong(
  view: View,
  objects: readonly WorldObject[],
  { limits, most }: Bounds,
): Promise<WorldObject[]> {
  const edges = [...new Set(objects.filter(({ kind }) => kind === "https_edge").map(({ id = "" }) => id))];
  const routes = await view.belongingTo(edges, most + 1);
  if (routes.some(({ length }) => length > most))
    limits.push(`Only the newest ${most} routes of each edge were examined.`);
  return routes.flatMap((newest) => newest.slice(0, most));
}
