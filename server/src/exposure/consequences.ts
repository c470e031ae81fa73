import {
  definitionNamed,
  definitionOf,
  definitionOfId,
  exchangedSecrets,
  present,
} from "@tunnelplane/sdk/contract";
import type { World, WorldObject } from "@tunnelplane/sdk/meaning";
import { isHostport } from "@tunnelplane/sdk/rules";
import type { Kysely } from "kysely";
import type { Caller } from "../auth";
import type { Documents } from "../documents";
import { portsOf } from "../gateways";
import type { ObjectChange } from "../journal";
import type { ChangeRequest, ServerContext } from "../resources";
import { type Database, pipelined, statement } from "../storage";
import { inPart } from "./answer";
import { candidatesOf, credentialsFor, edgesAt, Gathering, newest, objectOf } from "./gather";

/**
 * Limits of one review: how many users of the changed objects it examines, and how many edges of each kind
 * for a credential.
 */
const MOST_USERS = 200;
const MOST_EDGES = 200;
/** What a change touches, before and after it. */
interface Touched {
  readonly before: World;
  readonly after: World;
  /** Sentences about parts that were not examined; usually empty. */
  readonly limits: readonly string[];
}

/** Ids in findings. */
const IDS = /\b[a-z]+_[0-9A-Za-z]{27}\b/g;

/** Finds out what a dry run would mean for callers, and adds it to its answer. */
export class DryRunConsequences {
  #touched: Touched = { before: { objects: [] }, after: { objects: [] }, limits: [] };
  /** The names of objects that do not exist yet, by the ids that they have in this run only. */
  #new: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly context: ServerContext,
    private readonly caller: Caller,
  ) {}

  readonly onDryRun: ChangeRequest["onDryRun"] = async (
    transaction,
    changes,
    names = new Map<string, string>(),
  ) => {
    const made = new Set(changes.flatMap(({ change, id }) => (change === "created" ? id : [])));
    this.#new = new Map([...names].filter(([id]) => made.has(id)));
    this.#touched = await touchedBy(
      transaction,
      { documents: this.context.documents, caller: this.caller, names },
      changes,
    );
  };

  /** The JSON of an object, with the findings in it. */
  async addTo(json: string): Promise<string> {
    const { before, after, limits: unseen } = this.#touched;
    const order = { before, after, now: new Date() };
    const compared = await this.context.decisions.compare(this.caller.ownerId, order);
    const { findings, access, limits } = inPart(compared, unseen);
    const added = JSON.stringify(
      { findings, access, ...(limits.length > 0 && { finding_limits: limits }) },
      this.#withoutNewIds,
    );
    return json === "{}" ? added : `${json.slice(0, -1)},${added.slice(1)}`;
  }

  #withoutNewIds = (field: string, value: unknown): unknown => {
    if (typeof value !== "string" || this.#new.size === 0) return value;
    if (field === "id" && this.#new.has(value)) return null;
    return value.replace(IDS, (id) => this.#new.get(id) ?? id);
  };
}

/** Reads the objects that a change affects, in the transaction of the change. */
async function touchedBy(
  transaction: Kysely<Database>,
  { documents, caller, names }: { documents: Documents; caller: Caller; names: ReadonlyMap<string, string> },
  changes: readonly ObjectChange[],
): Promise<Touched> {
  const limits: string[] = [];
  const was = new Map<string, WorldObject | undefined>();
  const is = new Map<string, WorldObject | undefined>();
  for (const { id, definition, before, after } of changes) {
    const key = names.get(id);
    const called = key === undefined ? {} : { name: key.slice(key.indexOf("/") + 1), urn: key };
    if (!was.has(id)) was.set(id, before && { ...objectOf(definition, before), ...called });
    const exchanged = before && after ? exchangedSecrets(definition, before, after) : [];
    const newSecrets = [...(is.get(id)?.newSecrets ?? []), ...exchanged];
    is.set(id, after && { ...objectOf(definition, after), ...called, newSecrets });
  }
  const changed = [...was.values(), ...is.values()].flatMap((object) => object ?? []);
  const gathering = new Gathering(transaction, documents);
  await gathering.add([...is.values()].flatMap((object) => object ?? []));
  // An object that was referenced before still exists, or was deleted in the same transaction.
  for (const object of was.values()) if (object) await gathering.addTargetsOf(object);
  const using = await gathering.read(await usersOf(transaction, changed, limits));
  const served = changed.some(({ kind }) => kind.endsWith("_credential"))
    ? await someEdges(transaction, limits)
    : [];
  const competing = await gathering.read(await competingEdges(transaction, changed, limits));
  await gathering.add([...using, ...served, ...competing]);
  // Routes compete with those beside them, and one that cannot be enforced closes all of them.
  const around = changed.flatMap(({ fields }) => gathering.objects.get(String(fields.edge_id)) ?? []);
  await gathering.add(
    await routesAmong(transaction, [...changed, ...using, ...served, ...competing, ...around], limits),
  );
  if (gathering.full) limits.push("Only the first 1,000 objects that belong to the change were examined.");

  const { credentials, full } = await credentialsFor(transaction, caller);
  if (full) limits.push("Only the newest 500 credentials of each kind were examined.");
  const now = new Map(
    [...credentials, ...gathering.objects.values()].map((object) => [object.id ?? "", object]),
  );
  const hidden = new Set(credentials.filter((object) => object.hidden).map(({ id }) => id));
  await markUsed(transaction, now);
  const before = new Map(now);
  for (const [id, object] of was) replace(before, id, object, hidden);
  for (const [id, object] of is) replace(now, id, object, hidden);
  const admins = await adminsAmong(transaction, changed);
  const partial = limits.length > 0;
  const ports = await portsOf(transaction);
  const world = (objects: Map<string, WorldObject>) => ({
    objects: [...objects.values()],
    partial,
    admins,
    caller: caller.ownerId,
    ...(ports && { ports }),
  });
  return { before: world(before), after: world(now), limits };
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
const CLIMBED = /^(ip_policy|certificate_authority|event_destination|[a-z_]+_backend)$/;

/** Everything that uses the changed objects, up to edges and routes. */
async function usersOf(
  transaction: Kysely<Database>,
  changed: readonly WorldObject[],
  limits: string[],
): Promise<string[]> {
  const found = new Set<string>();
  const climb = (id: string) => CLIMBED.test(definitionOfId(id)?.kind ?? "");
  const policiesOf = ({ fields }: WorldObject) => (fields.ip_policy as { id?: string } | undefined)?.id ?? "";
  const destinationsOf = ({ fields }: WorldObject) =>
    ((fields.destinations ?? []) as { id: string }[]).map(({ id }) => id);
  let level = [
    ...new Set(
      changed
        .flatMap((object) => [object.id ?? "", policiesOf(object), ...destinationsOf(object)])
        .filter(climb),
    ),
  ];
  const climbed = new Set(level);
  while (level.length > 0 && found.size < MOST_USERS) {
    const rows = (
      await pipelined(level.map((id) => users(transaction, { id, limit: MOST_USERS + 1 })))
    ).flat();
    for (const { from_id } of rows) found.add(from_id);
    level = rows.map(({ from_id }) => from_id).filter((id) => climb(id) && !climbed.has(id));
    for (const id of level) climbed.add(id);
  }
  if (found.size > MOST_USERS)
    limits.push(`Only the first ${MOST_USERS} objects that use the changed ones were examined.`);
  return [...found].slice(0, MOST_USERS);
}

const users = statement<{ id: string; limit: number }, { from_id: string }>((db, parameter) =>
  db
    .selectFrom("reference")
    .select("from_id")
    .distinct()
    .where("to_id", "=", parameter("id"))
    .where("cascades", "=", 0)
    .orderBy("from_id")
    .limit(parameter("limit")),
);

/** Hostports in one query. */
const AT_ONCE = 200;

/** Edges whose hostports take names of the changed ones, or leave names to them. */
async function competingEdges(
  transaction: Kysely<Database>,
  changed: readonly WorldObject[],
  limits: string[],
): Promise<string[]> {
  const own = new Set(changed.map(({ id }) => id));
  const hostports = changed.flatMap(({ fields: { hostports: list } }) => (Array.isArray(list) ? list : []));
  const candidates = [...new Set(hostports.map(String).filter(isHostport).flatMap(candidatesOf))];
  // Not with `inParts`, which gives up its turn: the transaction holds the one lock for writing.
  const parts = Array.from({ length: Math.ceil(candidates.length / AT_ONCE) }, (_, part) =>
    JSON.stringify(candidates.slice(part * AT_ONCE, (part + 1) * AT_ONCE)),
  );
  const found = await pipelined(parts.map((values) => edgesAt(transaction, { values })));
  const edges = [...new Set(found.flat().map(({ resource_id }) => resource_id))].filter((id) => !own.has(id));
  if (edges.length > MOST_EDGES)
    limits.push(`Only ${MOST_EDGES} edges were examined that compete for names with the changed ones.`);
  return edges.slice(0, MOST_EDGES);
}

/** Edges that a changed credential may have been the last one to serve. */
async function someEdges(transaction: Kysely<Database>, limits: string[]): Promise<WorldObject[]> {
  const kinds = ["tls_edge", "https_edge"];
  const pages = await pipelined(kinds.map((kind) => newest(transaction, { kind, limit: MOST_EDGES + 1 })));
  if (pages.some((rows) => rows.length > MOST_EDGES)) {
    limits.push(
      `Only the newest ${MOST_EDGES} edges of each kind were examined for addresses that no credential may bind any more.`,
    );
  }
  return pages.flatMap((rows, index) =>
    rows
      .slice(0, MOST_EDGES)
      .map(({ document }) => objectOf(definitionNamed(present(kinds[index])), JSON.parse(document))),
  );
}

/**
 * The routes of the HTTPS edges among these objects, because the requirements of an edge apply to its routes.
 */
async function routesAmong(
  transaction: Kysely<Database>,
  objects: readonly WorldObject[],
  limits: string[],
): Promise<WorldObject[]> {
  const route = definitionOf("https_edge_route");
  const edges = [...new Set(objects.filter(({ kind }) => kind === "https_edge").map(({ id = "" }) => id))];
  const rows = await pipelined(edges.map((id) => routesOf(transaction, { id, limit: MOST_USERS + 1 })));
  if (rows.some(({ length }) => length > MOST_USERS))
    limits.push(`Only the newest ${MOST_USERS} routes of each edge were examined.`);
  return rows.flatMap((some) =>
    some.slice(0, MOST_USERS).map(({ document }) => objectOf(route, JSON.parse(document))),
  );
}

const routesOf = statement<{ id: string; limit: number }, { document: string }>((db, parameter) =>
  db
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .select("resource.document")
    .where("to_id", "=", parameter("id"))
    .where("cascades", "=", 1)
    .orderBy("resource.id", "desc")
    .limit(parameter("limit")),
);

/** Marks the policies, backends and authorities that are in use, also by objects that were not read. */
async function markUsed(transaction: Kysely<Database>, objects: Map<string, WorldObject>): Promise<void> {
  const usable = [...objects.keys()].filter((id) => CLIMBED.test(present(definitionOfId(id)).kind));
  const found = await pipelined(usable.map((id) => users(transaction, { id, limit: 1 })));
  for (const [index, id] of usable.entries()) {
    if ((found[index] ?? []).length > 0) objects.set(id, { ...present(objects.get(id)), used: true });
  }
}

/** The owners of changed API keys who are admins. */
async function adminsAmong(
  transaction: Kysely<Database>,
  changed: readonly WorldObject[],
): Promise<string[]> {
  const owners = new Set(
    changed.filter(({ kind }) => kind === "api_key").map(({ fields }) => String(fields.owner_id)),
  );
  const rows = await pipelined([...owners].map((id) => adminById(transaction, { id })));
  return rows.flat().map(({ id }) => id);
}

const adminById = statement<{ id: string }, { id: string }>((db, parameter) =>
  db.selectFrom("principal").select("id").where("id", "=", parameter("id")).where("role", "=", "admin"),
);
