import type { z } from "zod";
import type { Kind } from "../kinds";
import { elementOf, type Marks, marksOf, type Rule } from "./marks";
import { own } from "./narrow";
import { camelCase, pascalCase, plural } from "./spelling";

const known = new Map<string, readonly string[]>();

/** The fields in the path of a type's collection: `edge_id` for `/edges/https/{edge_id}/routes`. */
export function pathFieldsOf({ path }: Pick<Definition, "path">): readonly string[] {
  let fields = known.get(path);
  if (!fields) {
    fields = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    known.set(path, fields);
  }
  return fields;
}

/** Fills the values of its fields into a path. */
export const expandPath = (path: string, values: Readonly<Record<string, unknown>>): string =>
  path.includes("{")
    ? path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(own(values, name))))
    : path;

/** One argument of a function that finds an object. */
interface Lookup {
  readonly argument: string;
  readonly field: string;
  readonly schema: z.ZodType;
  readonly isEntry: boolean;
}

/** The arguments that together name one object of a type in place of its id: of a list, one entry. */
export const lookupOf = (definition: Definition): Lookup[] =>
  (definition.findBy ?? []).map((field) => {
    const schema = fieldOf(definition, field);
    const element = elementOf(schema);
    const argument = camelCase(element ? field.replace(/s$/, "") : field);
    return { argument, field, schema: element ?? schema, isEntry: element !== undefined };
  });

/** Schemas of an object's fields, by their wire names. */
export type Fields = Readonly<Record<string, z.ZodType>>;

/** A body with its defaults, as the schemas of these fields accept it. */
export type Sent<F extends Fields> = z.output<z.ZodObject<{ -readonly [Name in keyof F]: F[Name] }>>;

/**
 * A resource type as data: everything in which it differs from others. A definition keeps the types of its
 * fields. Code that works for every type takes a plain `Definition`.
 */
export interface Definition<K extends Kind = Kind, F extends Fields = Fields, C extends Fields = Fields> {
  /** PascalCase name: the Pulumi class, the SDK type and the OpenAPI schema. */
  readonly type: string;
  /** snake_case name: event types and references use it. */
  readonly kind: K;
  /** The name in sentences, for example "TLS edge". */
  readonly title: string;
  /** Its purpose, in a few sentences. */
  readonly doc: string;
  /** Its name in event types if that is not `kind`; for example `backend` for every kind of backend. */
  readonly subject: string;
  /** Collection path, for example "/edges/tls". */
  readonly path: string;
  /** The key of the collection array in list answers. */
  readonly listKey: string;
  /** The prefix of its ids, without the underscore. */
  readonly idPrefix: string;
  /** The field in which a module that is a resource of its own names its object; for example "edge_id". */
  readonly idField: string;
  /**
   * Who may see and change its objects: everyone in the account, only the owner (others get 404), or only
   * admins; `adminsWrite`: everyone sees them, and only admins change them; `accountWrites`: only admins of
   * the account change them; `account`: the same, of objects that belong to no project. Admins may always,
   * and viewers always see them. `rights/` reads this.
   */
  readonly access: "everyone" | "owner" | "admin" | "adminsWrite" | "accountWrites" | "account";
  /**
   * Whether API keys of role `gateway` may read its objects, with the secrets of their modules. Only for
   * types that gateways enforce.
   */
  readonly readByGateways: boolean;
  /** Fields of requests, each a schema with its marks. */
  readonly fields: F;
  /** Fields that only answers carry, beside id, uri and created_at. */
  readonly computed: C;
  /** Computes the fields that follow only from the sent ones. */
  derive(sent: Sent<F>): Partial<Sent<C>>;
  /** Rules across fields. */
  readonly rules: readonly Rule<Partial<Sent<F>>>[];
  /** Rules across the fields of only a creation's body. */
  readonly creationRules: readonly Rule<Partial<Sent<F>>>[];
  /** Rules across fields that only warn when broken. */
  readonly warnings: readonly Rule<Partial<Sent<F>>>[];
  /** The fields for begin and end of an object that a program can renew before its end; see asDeclared(). */
  readonly renewable?: { readonly after: string; readonly until: string };
  /** Defaults that depend on other fields, applied after the plain ones. */
  fill(value: Record<string, unknown>): Record<string, unknown>;
  /**
   * Completes what was sent by what is stored: an update whose fields take the place of others.
   *
   * @param before empty for a new object
   * @returns the fields to store, undefined for one to remove; or one mistake
   */
  settle?(given: Record<string, unknown>, before: Record<string, unknown>, how: Settling): Settled;
  /** Keys that no other object may hold at the same time. */
  unique(sent: Sent<F>): UniqueKey[];
  /** The fields that together identify one object without its id. Of a list, one entry is enough. */
  readonly findBy?: readonly (keyof F & string)[];
  /**
   * The body of a creation, with every module, from which the examples of documents and pages are made.
   * Objects that it refers to are named by kind: "ip_policy/office".
   */
  readonly sample: Readonly<Record<string, unknown>>;
  /** The body of an example program; `tunnels` is this project's Pulumi package. */
  readonly example: string;
}

export interface Settling {
  /** Whether nothing is kept, so that no secret is made. */
  readonly dryRun: boolean;
}

/** The result of {@link Definition.settle}. */
export type Settled =
  | { readonly fields: Record<string, unknown> }
  | { readonly path: readonly PropertyKey[]; readonly message: string };

export interface UniqueKey {
  /** Keys are compared within a scope, for example "hostport" across all kinds of edges. */
  readonly scope: string;
  readonly key: string;
  readonly path: readonly PropertyKey[];
  /** The error text if another object holds the key. */
  readonly taken: string;
}

type Optional =
  | "subject"
  | "idField"
  | "access"
  | "readByGateways"
  | "computed"
  | "derive"
  | "rules"
  | "creationRules"
  | "warnings"
  | "fill"
  | "unique";

/** Defines a resource type. Omitted parts have neutral defaults. */
export function defineResource<
  const K extends Kind,
  F extends Fields,
  C extends Fields = Record<never, never>,
>(
  definition: Omit<Definition<K, F, C>, Optional> & Partial<Pick<Definition<K, F, C>, Optional>>,
): Definition<K, F, C> {
  return {
    subject: definition.kind,
    idField: `${definition.kind}_id`,
    access: "everyone",
    readByGateways: false,
    computed: {} as C,
    fill: (value) => value,
    derive: () => ({}),
    rules: [],
    creationRules: [],
    warnings: [],
    unique: () => [],
    ...definition,
  };
}

/** The sentence of the documentation about access; begins with a space, or is empty. */
export const accessDoc = ({ access }: Definition): string => ACCESS_DOCS[access];

const ACCESS_DOCS = {
  everyone: "",
  owner: " Only its owner, viewers and admins can see it.",
  admin: " Only admins may change it; only they and viewers see it.",
  adminsWrite: " Only admins may change it.",
  accountWrites: " Only admins of the account may change it.",
  account: " Only admins of the account may change it; members see those in which they have a role.",
} as const satisfies Record<Definition["access"], string>;

/** The schema of a field. Throws if the type has no field of that name. */
export function fieldOf({ kind, fields, computed }: Definition, name: string): z.ZodType {
  const field = own(fields, name) ?? own(computed, name);
  if (!field) throw new Error(`${kind} has no field ${JSON.stringify(name)}`);
  return field;
}

/** The fields of a definition whose marks satisfy a condition. */
export const fieldsWhere = (definition: Definition, condition: (marks: Marks) => unknown): string[] =>
  Object.entries({ ...definition.fields, ...definition.computed })
    .filter(([, schema]) => condition(marksOf(schema)))
    .map(([name]) => name);

/**
 * Whether no two objects may hold the same value at a time, such as a hostport. Modules have no values of
 * this kind.
 */
export const holdsUniqueValues = ({ unique, sample }: Definition): boolean =>
  unique(sample as Sent<Definition["fields"]>).length > 0;

/** The names of a definition's modules: fields with endpoints of their own. */
export const modulesOf = (definition: Definition): string[] =>
  fieldsWhere(definition, (marks) => marks.module);

/** Optional fields that a request of their own removes, by their names in answers. */
export const removablesOf = (definition: Definition): { field: string; name: string }[] =>
  fieldsWhere(definition, (marks) => marks.removable).map((field) => ({
    field,
    name: answeredName(definition, field),
  }));

/** The name of a field in answers. */
export const answeredName = (definition: Definition, field: string): string =>
  marksOf(fieldOf(definition, field)).reference?.answeredAs ?? field;

/**
 * The fields that an object has only if they are declared: modules, and what a request of its own removes.
 */
export const partsOf = (definition: Definition): string[] =>
  fieldsWhere(definition, (marks) => marks.module || marks.removable);

/** The modules of a definition, with the names of their types. */
export const modulesWithTypes = (definition: Definition): { name: string; type: string }[] =>
  modulesOf(definition).map((name) => ({ name, type: definition.type + pascalCase(name) }));

/** The name of a type's collection in the client and in catalogues: `tlsEdges`. */
export const collectionOf = (definition: Definition): string => camelCase(plural(definition.kind));

/** The names that entries of a catalogue may have. */
export const ENTRY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
