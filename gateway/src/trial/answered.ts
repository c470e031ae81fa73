import {
  createSchema,
  defaultOf,
  definitionNamed,
  elementOf,
  fieldsOf,
  isObject,
  marksOf,
  modulesOf,
  own,
  registry,
} from "@tunnelplane/sdk/contract";
import type { World, WorldObject } from "@tunnelplane/sdk/meaning";

type Schema = ReturnType<typeof createSchema>;
type Json = Record<string, unknown>;
/** @param to the kinds that the reference may name */
type Refer = (reference: unknown, to: readonly string[]) => unknown;
interface Entry {
  readonly kind: string;
  readonly fields: Json;
}

interface Answered {
  readonly objects: readonly Entry[];
  /** By the texts that refer to them: ids themselves, and URNs. */
  readonly ids: ReadonlyMap<string, string>;
}

/**
 * The objects of a world as the API answers them: references as `{id, uri}`, HTTPS edges with their routes,
 * modules within their objects, defaults filled in. Fields that the contract does not know stay as they are.
 */
export function answeredObjects({ objects, partial }: World): Answered {
  const ids = idsOf(objects);
  const outside = new Map<string, Entry>();
  const refer: Refer = (reference, to) => {
    if (typeof reference !== "string") return reference;
    const id = ids.get(reference);
    if (id === undefined && partial)
      for (const one of standingFor(reference, to)) outside.set(reference, one);
    return id ?? reference;
  };
  const modules = new Map<string, Json>();
  for (const { kind, fields } of objects) {
    const [owner, module] = kind.split(".");
    if (owner === undefined || module === undefined) continue;
    const { [definitionNamed(owner).idField]: of, ...own } = { ...fields } as Json;
    const id = String(refer(of, [owner]));
    modules.set(id, { ...modules.get(id), [module]: own });
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
  return { objects: [...withRoutes(whole), ...outside.values()], ids };
}

/**
 * A part of a world may refer to objects outside of it. They exist: the server checked that when they were
 * declared.
 */
const standingFor = (id: string, to: readonly string[]): Entry[] => {
  if (to.some((kind) => kind.endsWith("backend")))
    return [
      { kind: "static_backend", fields: { id, address: "outside.invalid:80", tls: { enabled: false } } },
    ];
  return to.includes("certificate_authority")
    ? [{ kind: "certificate_authority", fields: { id, ca_pem: id } }]
    : [];
};

/** The objects' ids by id and by URN. An object that does not exist yet is younger than all others. */
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
    const { reference, secret } = marksOf(field);
    // Previews and answers leave secrets out; stand-ins accept any.
    if (secret && typeof own(all, name) !== "string") all[name] = "of the trial";
    const given =
      own(all, name) ?? (reference?.answeredAs === undefined ? undefined : own(all, reference.answeredAs));
    if (!reference) all[name] = answered(field as Schema, given ?? defaultOf(field) ?? null, refer);
    else if (reference.answeredAs === undefined)
      all[name] = renamed(given ?? defaultOf(field), (one) => refer(one, reference.to));
    else {
      delete all[name];
      const one = (id: unknown) => ref(id, (text) => refer(text, reference.to));
      all[reference.answeredAs] = Array.isArray(given) ? given.map(one) : one(given);
    }
  }
  return all;
}

function ref(given: unknown, refer: (id: unknown) => unknown): unknown {
  if (given == null) return null;
  const id = refer(isObject(given) ? given.id : given);
  return { id, uri: "" };
}

/** Ids in a list, or as the keys of a map. */
function renamed(given: unknown, refer: (id: unknown) => unknown): unknown {
  if (Array.isArray(given)) return given.map((one) => refer(one));
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
