import {
  createSchema,
  defaultOf,
  definitionNamed,
  elementOf,
  fieldsOf,
  isObject,
  marksOf,
  modulesOf,
  registry,
} from "@tunnelplane/sdk/contract";
import type { World, WorldObject } from "@tunnelplane/sdk/meaning";

type Schema = ReturnType<typeof createSchema>;
type Json = Record<string, unknown>;
type Refer = (reference: unknown) => unknown;
interface Entry {
  readonly kind: string;
  readonly fields: Json;
}

interface Answered {
  readonly objects: readonly Entry[];
  /** By what refers to them: ids themselves, and URNs. */
  readonly ids: ReadonlyMap<string, string>;
}

/**
 * The objects of a world as the API answers them: references as `{id, uri}`, HTTPS edges with their routes,
 * modules within their objects, defaults filled in. What is not known to the contract stays as it is.
 */
export function answeredObjects({ objects }: World): Answered {
  const ids = idsOf(objects);
  const refer: Refer = (reference) =>
    typeof reference === "string" ? (ids.get(reference) ?? reference) : reference;
  const modules = new Map<string, Json>();
  for (const { kind, fields } of objects) {
    const [owner, module] = kind.split(".");
    if (owner === undefined || module === undefined) continue;
    const { [definitionNamed(owner).idField]: id, ...own } = { ...fields } as Json;
    modules.set(String(refer(id)), { ...modules.get(String(refer(id))), [module]: own });
  }
  const whole = objects.flatMap((object): Entry[] => {
    if (object.kind.includes(".")) return [];
    const id = idOf(object, ids);
    return [
      {
        kind: object.kind,
        fields: completed(object.kind, { ...object.fields, ...modules.get(id), id }, refer),
      },
    ];
  });
  return { objects: withRoutes(whole), ids };
}

/** The objects' ids by id and by URN. One that is not made yet is younger than all others. */
function idsOf(objects: readonly WorldObject[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const object of objects.filter(({ kind }) => !kind.includes("."))) {
    const id = object.id ?? (object.fields as Json).id;
    const made = typeof id === "string" ? id : `${definitionNamed(object.kind).idPrefix}_~${ids.size}`;
    ids.set(made, made);
    if (object.urn !== undefined) ids.set(object.urn, made);
  }
  return ids;
}

const idOf = ({ id, urn, fields }: WorldObject, ids: ReadonlyMap<string, string>): string =>
  ids.get(id ?? String((fields as Json).id ?? urn)) ?? "";

function completed(kind: string, fields: Json, refer: Refer): Json {
  const routes = fields.routes;
  const all = answered(createSchema(definitionNamed(kind)), fields, refer) as Json;
  if (kind !== "https_edge") return all;
  return {
    ...all,
    routes: Array.isArray(routes)
      ? routes.map((route) => (isObject(route) ? completed("https_edge_route", route, refer) : route))
      : [],
  };
}

/** A value in the form of answers, in whichever form it was written. */
function answered(schema: Schema, value: unknown, refer: Refer): unknown {
  const element = elementOf(schema) as Schema | undefined;
  if (element && Array.isArray(value)) return value.map((one) => answered(element, one, refer));
  const known = fieldsOf(schema);
  if (!known || !isObject(value)) return value;
  const { ...all }: Json = value;
  for (const [name, field] of known) {
    const { reference } = marksOf(field);
    const given = all[name] ?? (reference?.answeredAs === undefined ? undefined : all[reference.answeredAs]);
    if (!reference) all[name] = answered(field as Schema, given ?? defaultOf(field) ?? null, refer);
    else if (reference.answeredAs === undefined) all[name] = renamed(given ?? defaultOf(field), refer);
    else {
      delete all[name];
      all[reference.answeredAs] = Array.isArray(given)
        ? given.map((one) => ref(one, refer))
        : ref(given, refer);
    }
  }
  return all;
}

function ref(given: unknown, refer: Refer): unknown {
  if (given == null) return null;
  const id = refer(isObject(given) ? given.id : given);
  return { id, uri: "" };
}

/** Ids in a list, or as the keys of a map. */
function renamed(given: unknown, refer: Refer): unknown {
  if (Array.isArray(given)) return given.map(refer);
  if (!isObject(given)) return refer(given) ?? null;
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [refer(key), value]));
}

/** Routes that are listed by themselves, in their edges. */
function withRoutes(entries: readonly Entry[]): Entry[] {
  const own = entries.filter(({ kind }) => kind === "https_edge_route");
  if (own.length === 0) return [...entries];
  const listed = new Set(own.map(({ fields }) => fields.id));
  return entries.map((entry) => {
    if (entry.kind !== "https_edge") return entry;
    const within = (entry.fields.routes as unknown[]).filter((one) => !isObject(one) || !listed.has(one.id));
    const more = own.filter(({ fields }) => fields.edge_id === entry.fields.id).map(({ fields }) => fields);
    return { ...entry, fields: { ...entry.fields, routes: [...within, ...more] } };
  });
}

/** The kinds that a world may hold: those of objects, and of modules that are resources of their own. */
export const KINDS: ReadonlySet<string> = new Set(
  registry.flatMap((definition) => [
    definition.kind,
    ...modulesOf(definition).map((module) => `${definition.kind}.${module}`),
  ]),
);
