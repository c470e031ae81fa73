import type { z } from "zod";
import { elementOf, fieldsOf, marksOf } from "../../contract/core/marks";
import { own } from "../../contract/core/narrow";
import { oncePer } from "../../contract/core/once";
import type { Model, ModelObject } from "../model";
import { type Names, nameOf } from "../names";
import { canonical, inOrder, isObject, shortHash } from "../values";
import { UNKNOWN } from "../world";
import { declaredOf, schemaOf } from "./declared";

/** A declared field that has another value. */
export interface Difference {
  /** The object that has the field. */
  readonly thing: ModelObject;
  /** The path of the field, in the names of the API: `oidc.issuer`. */
  readonly field: string;
  /** null if it is not set. References are the names of objects. Absent for a secret. */
  readonly before?: unknown;
  readonly after?: unknown;
  readonly secret?: true;
  /** Equal for the same difference, on another day and with other ids. */
  readonly key: string;
}

/** The object in two worlds; one of them is absent where it is new or removed. */
export interface ObjectChange {
  readonly before?: ModelObject;
  readonly after?: ModelObject;
}

/** Each object with what it was and is, by kind and identity. */
export function pairedIn(
  before: Iterable<ModelObject>,
  after: Iterable<ModelObject>,
): ReadonlyMap<string, ObjectChange> {
  const pairs = new Map<string, ObjectChange>();
  for (const thing of before) pairs.set(keyOf(thing), { before: thing });
  for (const thing of after) pairs.set(keyOf(thing), { ...pairs.get(keyOf(thing)), after: thing });
  return pairs;
}

/** The key of an object among pairs. */
export const keyOf = ({ kind, identity }: ModelObject): string => `${kind} ${identity}`;

interface Worlds {
  readonly before: Model;
  readonly after: Model;
  readonly names: Names;
}

const found = new WeakMap<ModelObject, { readonly other?: ModelObject; readonly all: Difference[] }>();

/** Every declared field of an object that differs, secrets only by their path. */
export function differencesOf({ before, after }: ObjectChange, worlds: Worlds): readonly Difference[] {
  const thing = after ?? before;
  if (!thing || (before && after && isSame(before, after))) return [];
  const known = found.get(thing);
  if (known && known.other === before) return known.all;
  const schema = schemaOf(thing.kind);
  const [was, is] = [
    before ? declaredOf(before, worlds.before) : null,
    after ? declaredOf(after, worlds.after) : null,
  ];
  const isReplaced = before?.object.id !== undefined && before.object.id !== after?.object.id;
  const walk = new Walk(thing, worlds, isReplaced);
  const all = schema ? [...walk.compare(schema, was, is, "")] : [];
  found.set(thing, { other: before, all });
  return all;
}

const isSame = (before: ModelObject, after: ModelObject): boolean =>
  before.object === after.object && before.modules.size === 0 && after.modules.size === 0;

class Walk {
  readonly #newSecrets: ReadonlySet<string>;

  constructor(
    private readonly thing: ModelObject,
    private readonly worlds: Worlds,
    private readonly isReplaced: boolean,
  ) {
    const own = thing.object.newSecrets ?? [];
    const ofModules = [...thing.modules].flatMap(([name, module]) =>
      (module.newSecrets ?? []).map((path) => `${name}.${path}`),
    );
    this.#newSecrets = new Set([...own, ...ofModules]);
  }

  *compare(schema: z.ZodType | undefined, was: unknown, is: unknown, path: string): Generator<Difference> {
    const marks = schema ? marksOf(schema) : {};
    if (marks.secret) {
      // A world may leave secrets out.
      const differs = was !== null && is !== null && canonical(was) !== canonical(is);
      if (differs || this.#newSecrets.has(path)) yield this.#secret(path);
      return;
    }
    const fields = schema && fieldsOf(schema);
    if (fields && isObjectOrNull(was) && isObjectOrNull(is)) {
      for (const [name, field] of fields)
        yield* this.compare(field, own(was, name) ?? null, own(is, name) ?? null, joined(path, name));
      return;
    }
    if (canonical(was) === canonical(is)) return;
    // A field that a program leaves out may have any value.
    const mayBeAny = was === null && marks.immutable && !this.isReplaced;
    if (marks.serverDefault && (is === null || mayBeAny)) return;
    if (marks.reference) yield* this.#references(was, is, path);
    else if (isObject(was) && isObject(is) && !fields) {
      for (const name of namesIn(was, is))
        yield* this.compare(undefined, own(was, name) ?? null, own(is, name) ?? null, joined(path, name));
    } else if (Array.isArray(was) && Array.isArray(is) && was.length === is.length && isOrdered(schema)) {
      const element = schema && elementOf(schema);
      for (const [index, item] of was.entries())
        yield* this.compare(element, item, is[index], `${path}[${index}]`);
    } else yield this.#difference(path, withoutSecrets(schema, was), withoutSecrets(schema, is));
  }

  *#references(was: unknown, is: unknown, path: string): Generator<Difference> {
    const { before, after } = this.worlds;
    if (isObject(was) && isObject(is)) {
      for (const id of namesIn(was, is)) {
        const [weight, now] = [own(was, id) ?? null, own(is, id) ?? null];
        if (canonical(weight) === canonical(now)) continue;
        const model = Object.hasOwn(is, id) ? after : before;
        const keys = [this.#keyOf(id, model), weight, now];
        yield this.#difference(joined(path, this.#labelOf(id, model)), weight, now, keys);
      }
      return;
    }
    const named = (
      value: unknown,
      model: Model,
      nameOfReference: (id: string, of: Model) => string,
    ): unknown =>
      Array.isArray(value)
        ? value.map((item) => named(item, model, nameOfReference))
        : typeof value === "string" && value !== UNKNOWN
          ? nameOfReference(value, model)
          : value;
    const label = (id: string, model: Model) => this.#labelOf(id, model);
    const key = (id: string, model: Model) => this.#keyOf(id, model);
    yield this.#difference(path, named(was, before, label), named(is, after, label), [
      named(was, before, key),
      named(is, after, key),
    ]);
  }

  #difference(field: string, before: unknown, after: unknown, keys: unknown = [before, after]): Difference {
    return { thing: this.thing, field, before, after, key: canonical([field, keys]) };
  }

  #secret(field: string): Difference {
    return { thing: this.thing, field, secret: true, key: canonical([field]) };
  }

  /** The name of a referenced object; with its id if another object has the same name. */
  #labelOf(reference: string, model: Model): string {
    const thing = model.find(reference) ?? ofIdentity(model, reference);
    if (!thing) return reference;
    return this.worlds.names.isShared(thing)
      ? `${nameOf(thing)} (${thing.object.id ?? thing.object.urn ?? thing.identity})`
      : nameOf(thing);
  }

  /** The text for a referenced object in hashes, which do not depend on ids. */
  #keyOf(reference: string, model: Model): string {
    const thing = model.find(reference) ?? ofIdentity(model, reference);
    if (!thing) return reference;
    const content = this.worlds.names.isShared(thing) ? shortHash(canonical(declaredOf(thing, model))) : "";
    return `${thing.kind} ${nameOf(thing)} ${content}`;
  }
}

const byIdentity = oncePer((model: Model) => new Map(model.all.map((thing) => [thing.identity, thing])));

const ofIdentity = (model: Model, identity: string): ModelObject | undefined =>
  byIdentity(model).get(identity);

const isObjectOrNull = (value: unknown): value is Readonly<Record<string, unknown>> | null =>
  value === null || isObject(value);

const namesIn = (a: object, b: object): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(inOrder);

const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/**
 * Whether the order of a list matters. Lists that the contract does not describe, such as settings of
 * actions, keep their order.
 */
const isOrdered = (schema: z.ZodType | undefined): boolean =>
  schema === undefined || marksOf(schema).ordered === true;

function withoutSecrets(schema: z.ZodType | undefined, value: unknown): unknown {
  const fields = schema && fieldsOf(schema);
  if (!fields || !isObject(value)) return value;
  return Object.fromEntries(
    fields.flatMap(([name, field]) =>
      marksOf(field).secret || own(value, name) === null || own(value, name) === undefined
        ? []
        : [[name, withoutSecrets(field, own(value, name))]],
    ),
  );
}
