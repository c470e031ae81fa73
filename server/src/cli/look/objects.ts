import {
  Collection,
  type ListOptions,
  NotFoundError,
  PermissionError,
  type Transport,
} from "@tunnelplane/sdk";
import {
  createSchema,
  type Definition,
  definitionOfId,
  expandPath,
  isObject,
  marksOf,
  pathFieldsOf,
  registry,
  shapeOf,
  targetsOf,
} from "@tunnelplane/sdk/contract";
import { MissingObjectError } from "../failures";

/** An object as the server answers it. */
export interface Stored {
  readonly id: string;
  /** Its name in a program or catalogue. */
  readonly resource_name?: string;
  readonly [field: string]: unknown;
}

const collectionAt = (transport: Transport, definition: Definition, path: Readonly<Record<string, string>>) =>
  new Collection<Stored, unknown, unknown>(transport, expandPath(definition.path, path), definition.listKey);

/** Whether objects of shared projects are listed too. */
type Shared = Pick<ListOptions, "shared">;

/** All objects of a kind, newest first. If their path names a parent, those of all parents. */
export async function* objectsOf(
  transport: Transport,
  definition: Definition,
  options: Shared = {},
): AsyncGenerator<Stored> {
  for await (const path of pathsOf(transport, definition, options))
    yield* collectionAt(transport, definition, path).list({ ...options, names: true });
}

/** The values of the fields in a kind's path: one empty record for most kinds. */
async function* pathsOf(
  transport: Transport,
  definition: Definition,
  options: Shared = {},
): AsyncGenerator<Record<string, string>> {
  const [field, ...more] = pathFieldsOf(definition);
  if (field === undefined) return yield {};
  if (more.length > 0)
    throw new Error(`${definition.kind} stands below two objects, which the command line does not know`);
  const parent = registry.find(
    ({ idField, path }) => idField === field && definition.path.startsWith(`${path}/`),
  );
  if (!parent) throw new Error(`nothing answers to ${field}`);
  for await (const { id } of objectsOf(transport, parent, options)) yield { [field]: id };
}

/** One object with its ETag, or undefined. Looks for an object with a parent below each parent. */
async function find(
  transport: Transport,
  definition: Definition,
  id: string,
): Promise<{ path: string; body: Stored } | undefined> {
  if (pathFieldsOf(definition).length === 0) {
    const body = await collectionAt(transport, definition, {}).get(id, { names: true });
    return { path: `${definition.path}/${encodeURIComponent(id)}`, body };
  }
  for await (const path of pathsOf(transport, definition)) {
    for await (const body of collectionAt(transport, definition, path).list({ names: true }))
      if (body.id === id)
        return { path: `${expandPath(definition.path, path)}/${encodeURIComponent(id)}`, body };
  }
  return undefined;
}

/** @throws MissingObjectError */
export async function found(transport: Transport, definition: Definition, id: string) {
  const object = await find(transport, definition, id);
  if (object) return object;
  throw new MissingObjectError(`there is no ${definition.title} ${id}`);
}

/** How many objects are asked for their names at most; others are shown by their ids. */
const MAX_NAMED = 50;

/** The names of objects, by id, as far as they have one and the API key may see them. */
export async function namesOf(
  transport: Transport,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const asked = [...new Set(ids)].slice(0, MAX_NAMED);
  const nameOf = async (id: string): Promise<string | undefined> => {
    const definition = definitionOfId(id);
    // An object below another one could only be found by listing them all.
    if (!definition || pathFieldsOf(definition).length > 0) return undefined;
    try {
      const { resource_name } = await collectionAt(transport, definition, {}).get(id, { names: true });
      return resource_name;
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof PermissionError) return undefined;
      throw error;
    }
  };
  return new Map(await Promise.all(asked.map(async (id) => [id, await nameOf(id)] as const)));
}

/** The ids that an object refers to, each with the field where it stands. */
export function refersTo(value: unknown, at = ""): { field: string; id: string }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => refersTo(item, `${at}[${index}]`));
  if (typeof value === "string") return definitionOfId(value) ? [{ field: at, id: value }] : [];
  if (!isObject(value)) return [];
  const { id, uri, ...rest } = value;
  const isRef =
    at !== "" && typeof id === "string" && typeof uri === "string" && Object.keys(rest).length === 0;
  if (isRef) return [{ field: at, id }];
  return Object.entries(value).flatMap(([name, item]) =>
    at === "" && (name === "id" || name === "uri") ? [] : refersTo(item, at ? `${at}.${name}` : name),
  );
}

/** The kinds whose objects may refer to one of a kind. */
export const kindsThatReferTo = (target: Definition): Definition[] =>
  registry.filter((definition) =>
    fieldsDeep(createSchema(definition)).some((field) =>
      targetsOf(marksOf(field).reference?.to ?? []).includes(target),
    ),
  );

function fieldsDeep(schema: Parameters<typeof shapeOf>[0]): Parameters<typeof shapeOf>[0][] {
  const shape = shapeOf(schema);
  return shape ? Object.values(shape).flatMap((field) => [field, ...fieldsDeep(field)]) : [];
}
