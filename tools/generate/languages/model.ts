import type { EnumSpec, ObjectSpec, ResourceSpec, TypeSpec } from "../schema/spec";

/**
 * Resources by their names, as a Pulumi program in YAML has them. "${web.id}" is the id of another one, as a
 * key of a map too.
 */
export type Program = Readonly<
  Record<string, { readonly type: string; readonly properties: Readonly<Record<string, unknown>> }>
>;

/** The parts of a package's schema that say what its properties are. */
export interface PackageTypes {
  readonly types: Readonly<Record<string, ObjectSpec | EnumSpec>>;
  readonly resources: Readonly<Record<string, ResourceSpec>>;
}

/** A value of a program with its type. */
export type Value =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "number" | "boolean"; readonly value: number | boolean }
  | { readonly is: "reference"; readonly to: string }
  | {
      readonly is: "enumeration";
      readonly type: string;
      readonly member: string;
      readonly value: string | number;
    }
  | { readonly is: "list"; readonly of: Element; readonly items: readonly Value[] }
  | {
      readonly is: "map";
      readonly of: Element;
      readonly entries: readonly (readonly [key: string, value: Value])[];
    }
  | { readonly is: "object"; readonly type: string; readonly fields: Fields }
  | { readonly is: "any"; readonly value: unknown };

export type Fields = readonly (readonly [name: string, value: Value])[];
/** The type of the values of a list or a map; a type's name for objects and enumerations. */
export type Element =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "any"
  | { readonly type: string }
  | { readonly listOf: Element };

/** A resource of a program; fields have the names of the schema. */
export interface Declaration {
  readonly name: string;
  readonly type: string;
  readonly fields: Fields;
  /** Whether another one refers to it. */
  readonly isUsed: boolean;
}

const REFERENCE = /^\$\{([\w-]+)\.id\}$/;

/** The name of the resource whose id a text stands for. */
export const referenceIn = (text: string): string | undefined => REFERENCE.exec(text)?.[1];

/** The resources of a program with the types of their values, in the order of the program. */
export function declarationsOf(program: Program, known: PackageTypes): Declaration[] {
  const text = JSON.stringify(program);
  return Object.entries(program).map(([name, { type, properties }]) => {
    const spec = known.resources[type.replace(/^(\w+):(\w+)$/, "$1:index:$2")];
    if (!spec) throw new Error(`The schema has no resource ${type}`);
    const isUsed = text.includes(`"\${${name}.id}"`);
    return { name, type: lastPart(type), fields: fieldsOf(properties, spec.inputProperties, known), isUsed };
  });
}

function fieldsOf(values: object, specs: Readonly<Record<string, TypeSpec>>, known: PackageTypes): Fields {
  return Object.entries(values).map(([name, value]) => {
    const spec = specs[name];
    if (!spec) throw new Error(`The schema has no property ${name}; it has ${Object.keys(specs).join(", ")}`);
    return [name, typed(value, spec, known)] as const;
  });
}

function typed(value: unknown, spec: TypeSpec, known: PackageTypes): Value {
  const to = typeof value === "string" ? referenceIn(value) : undefined;
  if (to !== undefined) return { is: "reference", to };
  if (Array.isArray(value) && spec.items) {
    const { items } = spec;
    return { is: "list", of: elementOf(items), items: value.map((item) => typed(item, items, known)) };
  }
  const { additionalProperties: inside } = spec;
  if (inside) {
    const entries = Object.entries(value as object).map(
      ([key, item]) => [key, typed(item, inside, known)] as const,
    );
    return { is: "map", of: elementOf(inside), entries };
  }
  const type = spec.$ref?.startsWith("#/types/") ? spec.$ref.slice("#/types/".length) : undefined;
  const named = type === undefined ? undefined : known.types[type];
  if (type !== undefined && named && "enum" in named) {
    const member = named.enum.find((one) => one.value === value);
    if (!member) throw new Error(`${type} has no value ${JSON.stringify(value)}`);
    return { is: "enumeration", type: lastPart(type), member: member.name, value: member.value };
  }
  if (type !== undefined && named)
    return {
      is: "object",
      type: lastPart(type),
      fields: fieldsOf(value as object, (named as ObjectSpec).properties, known),
    };
  if (spec.type === "string" && typeof value === "string") return { is: "text", text: value };
  if (typeof value === "number" || typeof value === "boolean")
    return { is: typeof value as "number" | "boolean", value };
  return { is: "any", value };
}

function elementOf({ type, $ref, items }: TypeSpec): Element {
  if (items) return { listOf: elementOf(items) };
  if ($ref?.startsWith("#/types/")) return { type: lastPart($ref) };
  return type === "string" || type === "integer" || type === "number" || type === "boolean" ? type : "any";
}

const lastPart = (token: string): string => token.slice(token.lastIndexOf(":") + 1);

/** The resources whose ids are keys of a map: such a map is known only when they are. */
export const keysIn = (value: Value & { is: "map" }): string[] =>
  value.entries.flatMap(([key]) => referenceIn(key) ?? []);

/** `tlsTermination` as `tls_termination`, and `TlsEdge` as `tls_edge`. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter, at: number) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`);

export const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** A resource's name as a variable: `our-app` is `ourApp`. */
export const variable = (name: string): string =>
  name.replaceAll(/[-_.](\w)/g, (_, letter: string) => letter.toUpperCase());
