import { type Definition, isObject, MAX_SET_OBJECTS, own, registry } from "@tunnelplane/sdk/contract";
import type { Document } from "../documents";
import { BodyError, type Fault } from "../util";
import { Faults, REQUEST } from "./faults";

const NAME = /^[A-Za-z0-9._-]{1,255}$/;
const isName = (value: unknown): value is string => typeof value === "string" && NAME.test(value);
const NAME_RULE = 'must have 1 to 255 letters, digits, ".", "_" and "-"';

/** The state that a set is to have. */
export interface ChangeSetRequest {
  readonly set: string;
  /** `own` deletes what left the set, `merge` leaves it. */
  readonly mode: "merge" | "own";
  /** The digest of the plan that is to be carried out. */
  readonly expect: string | undefined;
  /** Undefined if the request has no valid number there. */
  readonly maxDeletes: number | undefined;
  readonly objects: readonly Wanted[];
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

/** The body of a change set as it was parsed. */
export interface ParsedBody {
  readonly body: Document;
  /**
   * Faults that were found while parsing: of the fields beside the objects, and of single objects by their
   * index.
   */
  readonly wrong: readonly Fault[];
  readonly broken: ReadonlyMap<number, Fault>;
}

/** Reads the body of a change set, and notes all of its faults. */
export function readRequest({ body, wrong, broken }: ParsedBody): ChangeSetRequest {
  const faults = new Faults();
  for (const fault of [...wrong, ...unknownFields(body, ["set", "mode", "expect", "max_deletes", "objects"])])
    faults.add(REQUEST, fault);
  const invalid = (field: string, message: string) =>
    faults.add(REQUEST, { error: "invalid_field", path: [field], message });
  const { set, objects } = body;
  const [mode = "merge", expect, maxDeletes = 0] = ["mode", "expect", "max_deletes"].map((field) =>
    given(own(body, field)),
  );
  const isNamed = isName(set);
  if (!isNamed) invalid("set", set === undefined ? `is required and ${NAME_RULE}` : NAME_RULE);
  const isMode = mode === "merge" || mode === "own";
  if (!isMode) invalid("mode", 'must be "merge" or "own"');
  if (expect !== undefined && typeof expect !== "string")
    invalid("expect", "must be the digest that a plan answered");
  const isCount =
    typeof maxDeletes === "number" &&
    Number.isInteger(maxDeletes) &&
    maxDeletes >= 0 &&
    maxDeletes <= MAX_SET_OBJECTS;
  if (!isCount) invalid("max_deletes", `must be a whole number from 0 to ${MAX_SET_OBJECTS}`);
  if (!Array.isArray(objects))
    invalid("objects", objects === undefined ? "is required and must be a list" : "must be a list");
  const isRead = Array.isArray(objects) && objects.length <= MAX_SET_OBJECTS;
  if (Array.isArray(objects) && !isRead)
    invalid(
      "objects",
      `holds ${objects.length} objects; a change set has at most ${MAX_SET_OBJECTS}, so use several sets`,
    );
  return {
    set: isNamed ? set : "",
    // Without its objects or its mode, a request does not say which objects to delete.
    mode: isMode && isRead ? mode : "merge",
    expect: typeof expect === "string" ? expect : undefined,
    maxDeletes: isCount ? maxDeletes : undefined,
    objects: isRead ? readObjects(objects, broken, faults) : [],
    faults,
  };
}

/** Refuses a request that cannot be read as a whole, in the form of a change set's faults. */
export function refuseBody(refusal: unknown): never {
  if (!(refusal instanceof BodyError)) throw refusal;
  const faults = new Faults();
  faults.addRefusal(REQUEST, refusal);
  faults.refuse();
  throw refusal;
}

function readObjects(
  objects: readonly unknown[],
  broken: ReadonlyMap<number, Fault>,
  faults: Faults,
): Wanted[] {
  const seen = new Map<string, number>();
  return objects.flatMap((written, index): Wanted[] => {
    const name = nameOf(written, index);
    faults.expect(name);
    const fault = broken.get(index);
    if (fault) faults.add(name, withinFields(fault));
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
}

/** Faults name the fields of an object as its creation does. */
const withinFields = ({ path, ...fault }: Fault): Fault => ({
  ...fault,
  path: path[0] === "fields" ? path.slice(1) : path,
});

/** Turns values that clients send for "left out" into undefined. */
const given = (value: unknown): unknown =>
  value === null || value === "" || value === 0 ? undefined : value;

const definitions = new Map<string, Definition>(registry.map((definition) => [definition.kind, definition]));

function readObject(written: unknown, name: string, faults: Faults): Wanted | undefined {
  if (!isObject(written)) {
    faults.add(name, {
      error: "invalid_field",
      path: [],
      message: 'must be an object with "kind", "key" and "fields"',
    });
    return undefined;
  }
  const { kind, key } = written;
  const [id, fields = {}] = [given(written.id), given(written.fields)];
  const definition = typeof kind === "string" ? definitions.get(kind) : undefined;
  const wrong = unknownFields(written, ["kind", "key", "id", "fields"]);
  const invalid = (path: string, message: string) =>
    wrong.push({ error: "invalid_field", path: [path], message });
  if (!definition) invalid("kind", `must be one of ${[...definitions.keys()].join(", ")}`);
  const isKey = isName(key);
  if (!isKey) invalid("key", key === undefined ? `is required and ${NAME_RULE}` : NAME_RULE);
  const isId = id === undefined || typeof id === "string";
  if (!isId) invalid("id", "must be the id of an object");
  if (typeof id === "string" && definition && !id.startsWith(`${definition.idPrefix}_`))
    wrong.push({
      error: "wrong_id_kind",
      path: ["id"],
      message: `is ${JSON.stringify(id.slice(0, 100))}: expected one that begins with "${definition.idPrefix}_"`,
    });
  const areFields = isObject(fields);
  if (!areFields) invalid("fields", "must be an object");
  for (const fault of wrong) faults.add(name, fault);
  return wrong.length === 0 && definition && isKey && isId && areFields
    ? { name, definition, key, id, fields }
    : undefined;
}

/** The name of an object in faults; it may not even have a key. */
function nameOf(written: unknown, index: number): string {
  const { kind, key }: Document = isObject(written) ? written : {};
  const isNamed = typeof kind === "string" && definitions.has(kind) && isName(key);
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
