import {
  createSchema,
  type Definition,
  definitionNamed,
  definitionOfId,
  holdsSecrets,
  mapSecrets,
  present,
  referencesIn,
  seesAll,
} from "@tunnelplane/sdk/contract";
import type { World, WorldObject } from "@tunnelplane/sdk/meaning";
import { readHostport, wildcardsAbove } from "@tunnelplane/sdk/rules";
import type { Kysely } from "kysely";
import { type Caller, everyRestriction, projectOf } from "../auth";
import { type Document, type Documents, textIn } from "../documents";
import { findById, type StoredRow } from "../resources";
import { type Database, isListed, pipelined, statement } from "../storage";
import { takeTurn } from "../util";

/** The limit on objects that are read for one answer. Results that depend on further ones are uncertain. */
export const MOST_OBJECTS = 1000;
/** The limit on credentials of each kind, the newest ones, that are examined for who may serve an address. */
export const MOST_CREDENTIALS = 500;

/**
 * An object as input for `@tunnelplane/sdk/meaning`: without secrets, and without routes, which are objects
 * of their own there.
 * @param name in the program that made it
 */
export function objectOf(definition: Definition, document: Document, name?: string | null): WorldObject {
  const open = holdsSecrets(definition) ? mapSecrets(definition, document, () => undefined) : document;
  const { routes, ...fields } = open;
  return {
    kind: definition.kind,
    id: textIn(document, "id"),
    ...(name && { name }),
    fields: definition.kind === "https_edge" ? fields : open,
  };
}

/** Collects objects of one project and everything that they refer to. */
export class Gathering {
  readonly objects = new Map<string, WorldObject>();
  /** Whether the limit was reached, so that objects are missing. */
  full = false;

  constructor(
    private readonly db: Kysely<Database>,
    private readonly documents: Documents,
    private readonly project: string,
    private readonly most = MOST_OBJECTS,
  ) {}

  /** Adds objects, everything that they refer to, and the rules of their policies. */
  async add(objects: readonly WorldObject[]): Promise<void> {
    for (let level = objects; level.length > 0; ) {
      const fresh = level.filter((object) => this.#keep(object));
      const [rules, targets] = await pipelined([
        pipelined(
          fresh
            .filter(({ kind }) => kind === "ip_policy")
            .map(({ id = "" }) => belongingTo(this.db, { id, limit: this.most })),
        ),
        this.#read(this.#missingTargetsOf(fresh)),
      ]);
      level = [
        ...targets,
        ...rules.flat().map((row) => storedObject(definitionNamed("ip_policy_rule"), row)),
      ];
    }
  }

  /** Adds the restrictions of all edges that are enforced, of whatever project they are. */
  async addRestrictions(): Promise<void> {
    const rows = await everyRestriction(this.db, {});
    const all = rows.map((row) => storedObject(definitionNamed("ip_restriction"), row));
    await this.add(all.filter(({ fields }) => fields.enforced === true && fields.type === "endpoints"));
  }

  /** Adds what objects refer to, without themselves. */
  async addTargetsOf(objects: readonly WorldObject[]): Promise<void> {
    await this.add(await this.#read(this.#missingTargetsOf(objects)));
  }

  /** Reads objects by their ids; skips missing ones, and those of other projects. */
  read(ids: readonly string[]): Promise<WorldObject[]> {
    return this.#read(ids, ({ project_id }) => project_id === this.project);
  }

  /** Reads objects that those of the project refer to, also in shared projects. */
  async #read(
    ids: readonly string[],
    isSeen: (row: StoredRow) => boolean = () => true,
  ): Promise<WorldObject[]> {
    const room = Math.max(this.most - this.objects.size, 0);
    if (ids.length > room) this.full = true;
    const rows = await pipelined(ids.slice(0, room).map((id) => findById(this.db, { id })));
    return rows
      .flat()
      .filter(isSeen)
      .map((row) => storedObject(present(definitionOfId(row.id)), row));
  }

  #keep(object: WorldObject): boolean {
    const { id = "" } = object;
    if (this.objects.has(id)) return false;
    if (this.objects.size >= this.most) this.full = true;
    else this.objects.set(id, object);
    return !this.full;
  }

  #missingTargetsOf(objects: readonly WorldObject[]): string[] {
    const targets = new Set(objects.flatMap((object) => this.#referencesOf(object)));
    return [...targets].filter((id) => !this.objects.has(id));
  }

  #referencesOf({ kind, fields }: WorldObject): string[] {
    const definition = definitionNamed(kind);
    return referencesIn(createSchema(definition), this.documents.sentOf(definition, fields))
      .map(({ id }) => id)
      .filter((id) => definitionOfId(id) !== undefined);
  }
}

/** An object of {@link objectOf} as it is stored. */
export type NamedRow = Pick<Database["resource"], "document" | "name">;

export const storedObject = (definition: Definition, { document, name }: NamedRow): WorldObject =>
  objectOf(definition, JSON.parse(document), name);

/** A route, from its row. */
export const routeOf = (row: NamedRow): WorldObject => storedObject(definitionNamed("https_edge_route"), row);

/** The rules of a policy, the routes of an edge. */
export const belongingTo = statement<{ id: string; limit: number }, NamedRow>((db, parameter) =>
  db
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .select(["resource.document", "resource.name"])
    .where("to_id", "=", parameter("id"))
    .where("cascades", "=", 1)
    .orderBy("resource.id")
    .limit(parameter("limit")),
);

/** The newest credentials of both kinds. Those that the caller may not see are only counted. */
export async function credentialsFor(
  db: Kysely<Database>,
  caller: Caller,
): Promise<{ credentials: WorldObject[]; full: boolean }> {
  const kinds = ["tunnel_credential", "ssh_credential"];
  const project = projectOf(caller);
  const pages = await pipelined(
    kinds.map((kind) => newest(db, { kind, project, limit: MOST_CREDENTIALS + 1 })),
  );
  const credentials = pages.flatMap((rows, index) =>
    rows.slice(0, MOST_CREDENTIALS).map(({ owner_id, ...row }): WorldObject => {
      const object = storedObject(definitionNamed(present(kinds[index])), row);
      return seesAll(caller.role) || owner_id === caller.ownerId ? object : { ...object, hidden: true };
    }),
  );
  return { credentials, full: pages.some((rows) => rows.length > MOST_CREDENTIALS) };
}

/** The newest objects of a kind in a project. */
export const newest = statement<
  { kind: string; project: string; limit: number },
  NamedRow & { owner_id: string }
>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["owner_id", "document", "name"])
    .where("kind", "=", parameter("kind"))
    .where("project_id", "=", parameter("project"))
    .orderBy("id", "desc")
    .limit(parameter("limit")),
);

/** The hostports that may take a name, the best first. */
export function candidatesOf(address: string): string[] {
  const { host, port } = readHostport(address);
  return [host, ...wildcardsAbove(host)].map((name) => `${name}:${port}`);
}

/** The edges that have hostports of a list. */
export const edgesAt = statement<{ values: string }, { value: string; resource_id: string }>(
  (db, parameter) =>
    db
      .selectFrom("unique_key")
      .select(["value", "resource_id"])
      .where("scope", "=", "hostport")
      .where(isListed(db, "value", parameter("values"))),
);

/** How many edges are read at once. */
const EDGES_AT_ONCE = 50;

/**
 * The world of these edges: they, their routes, and the objects that they refer to. Lets other requests run
 * in between.
 * @param bounds whose objects are read, and how many; the world is partial if there are more
 */
export async function worldOfEdges(
  db: Kysely<Database>,
  documents: Documents,
  edges: readonly string[],
  { project, most }: { readonly project: string; readonly most: number },
): Promise<World> {
  const gathering = new Gathering(db, documents, project, most);
  await gathering.addRestrictions();
  for (let start = 0; start < edges.length && !gathering.full; start += EDGES_AT_ONCE) {
    const part = edges.slice(start, start + EDGES_AT_ONCE);
    const read = await gathering.read(part);
    const https = part.filter((id) => definitionOfId(id)?.kind === "https_edge");
    const routes = await pipelined(https.map((id) => belongingTo(db, { id, limit: most })));
    await gathering.add([...read, ...routes.flat().map(routeOf)]);
    await takeTurn();
  }
  return {
    objects: [...gathering.objects.values()],
    now: Date.now(),
    ...(gathering.full && { partial: true }),
  };
}
