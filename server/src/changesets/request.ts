import { type Definition, registry } from "@tunnelplane/sdk/contract";
import type { Document } from "../documents";
import { type Fault, refuseFaults } from "../util";
import { Faults } from "./faults";

/** Most objects of a request, and of a set. */
export const MOST_OBJECTS = 5_000;
const NAME = /^[A-Za-z0-9._-]{1,255}$/;
const NAME_RULE = 'must have 1 to 255 letters, digits, ".", "_" and "-"';

/** The state that a set shall have. */
export interface ChangeSetRequest {
  readonly set: string;
  /** `own` deletes what left the set, `merge` leaves it. */
  readonly mode: "merge" | "own";
  /** The digest of the plan that is to be carried out. */
  readonly expect: string | undefined;
  readonly maxDeletes: number;
  readonly objects: readonly Wanted[];
  /** Faults of single objects. */
  readonly faults: Faults;
}

/** An object as a request declares it. */
export interface Wanted {
  /** `<kind>/<key>` */
  readonly name: string;
  readonly definition: Definition;
  readonly key: string;
  readonly id: string | undefined;
  readonly fields: Document;
}

/**
 * Reads the body of a change set.
 * @param broken faults of single objects that were found while reading, by their index
 */
export function readRequest(body: Document, broken: ReadonlyMap<number, Fault>): ChangeSetRequest {
  const { set, mode = "merge", expect, max_deletes: maxDeletes = 0, objects } = body;
  const wrong: Fault[] = unknownFields(body, ["set", "mode", "expect", "max_deletes", "objects"]);
  const invalid = (path: PropertyKey[], message: string) => wrong.push({ error: "invalid_field", path, message });
  if (typeof set !== "string" || !NAME.test(set)) invalid(["set"], set === undefined ? `is required and ${NAME_RULE}` : NAME_RULE);
  if (mode !== "merge" && mode !== "own") invalid(["mode"], 'must be "merge" or "own"');
  if (expect !== undefined && expect !== null && typeof expect !== "string") invalid(["expect"], "must be the digest that a plan answered");
  if (!Number.isInteger(maxDeletes) || (maxDeletes as number) < 0 || (maxDeletes as number) > MOST_OBJECTS)
    invalid(["max_deletes"], `must be a whole number from 0 to ${MOST_OBJECTS}`);
  if (!Array.isArray(objects)) invalid(["objects"], objects === undefined ? "is required and must be a list" : "must be a list");
  else if (objects.length > MOST_OBJECTS)
    invalid(["objects"], `holds ${objects.length} objects; a change set has at most ${MOST_OBJECTS}, so use several sets`);
  refuseFaults(wrong);

  const faults = new Faults();
  const seen = new Map<string, number>();
  const wanted = (objects as unknown[]).flatMap((written, index): Wanted[] => {
    const name = nameOf(written, index);
    faults.place(name);
    const fault = broken.get(index);
    if (fault) faults.add(name, fault);
    const one = fault ? undefined : readObject(written, name, faults);
    const first = one && seen.get(name);
    if (first !== undefined)
      faults.add(name, {
        error: "invalid_field",
        path: ["key"],
        message: `stands here a second time, after objects[${first}]; name each object once`,
      });
    if (one) seen.set(name, seen.get(name) ?? index);
    return one && first === undefined ? [one] : [];
  });
  return {
    set: set as string,
    mode: mode as "merge" | "own",
    expect: (expect ?? undefined) as string | undefined,
    maxDeletes: maxDeletes as number,
    objects: wanted,
    faults,
  };
}

const definitions = new Map<string, Definition>(registry.map((definition) => [definition.kind, definition]));

function readObject(written: unknown, name: string, faults: Faults): Wanted | undefined {
  if (!isObject(written)) {
    faults.add(name, { error: "invalid_field", path: [], message: 'must be an object with "kind", "key" and "fields"' });
    return undefined;
  }
  const { kind, key, id, fields = {} } = written;
  const definition = definitions.get(String(kind));
  const wrong = unknownFields(written, ["kind", "key", "id", "fields"]);
  const invalid = (path: string, message: string) => wrong.push({ error: "invalid_field", path: [path], message });
  if (!definition) invalid("kind", `must be one of ${[...definitions.keys()].join(", ")}`);
  if (typeof key !== "string" || !NAME.test(key)) invalid("key", key === undefined ? `is required and ${NAME_RULE}` : NAME_RULE);
  if (id !== undefined && id !== null && typeof id !== "string") invalid("id", "must be the id of an object");
  if (typeof id === "string" && definition && !id.startsWith(`${definition.idPrefix}_`))
    wrong.push({
      error: "wrong_id_kind",
      path: ["id"],
      message: `is ${JSON.stringify(id.slice(0, 100))}: expected one that begins with "${definition.idPrefix}_"`,
    });
  if (!isObject(fields)) invalid("fields", "must be an object");
  for (const fault of wrong) faults.add(name, fault);
  if (wrong.length > 0 || !definition) return undefined;
  return { name, definition, key: key as string, id: (id ?? undefined) as string | undefined, fields: fields as Document };
}

/** The name of an object in faults; it may not even have a key. */
function nameOf(written: unknown, index: number): string {
  const { kind, key }: Document = isObject(written) ? written : {};
  const isNamed = typeof kind === "string" && definitions.has(kind) && typeof key === "string" && NAME.test(key);
  return isNamed ? `${kind}/${key}` : `objects[${index}]`;
}

const unknownFields = (value: Document, accepted: readonly string[]): Fault[] =>
  Object.keys(value)
    .filter((name) => !accepted.includes(name))
    .map((name) => ({
      error: "unknown_field",
      path: [name],
      message: `is not a field here; accepted: ${accepted.map((one) => `\`${one}\``).join(", ")}`,
    }));

const isObject = (value: unknown): value is Document => typeof value === "object" && value !== null && !Array.isArray(value);
