import { type Properties, SECRET, SIGNATURE } from "@tunnelplane/pulumi/core";
import { isObject, own } from "@tunnelplane/sdk/contract";
import { UNKNOWN } from "@tunnelplane/sdk/node";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { noteSecret } from "./secrets";

export { UNKNOWN };

/** The engine has one for each type of value. */
const UNKNOWNS: ReadonlySet<unknown> = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // true or false
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // list
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

export const isUnknown = (value: unknown): boolean => UNKNOWNS.has(value);

/** Whether a value, or one inside it, is not known yet. */
export const holdsUnknown = (value: unknown): boolean =>
  isUnknown(value) ||
  (typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown));

/** The values of the other special objects. */
const RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

export type Path = readonly PropertyKey[];

/** Properties as the engine sent them. */
export interface Received<T = Properties> {
  readonly values: T;
  /** The paths of secrets. If an entry of a list is secret, the whole list is, because entries may move. */
  readonly secrets: readonly Path[];
}

/** Takes secrets out of their wrappings, and notes where they were. */
export function received<T extends object = Properties>(struct: Struct | undefined): Received<T> {
  const secrets: Path[] = [];
  const values = plain(struct?.toJavaScript() ?? {}, [], secrets);
  return { values: values as T, secrets }; // what the check made of a program, or what a step recorded
}

function plain(value: unknown, path: Path, secrets: Path[]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => plain(item, [...path, index], secrets));
  if (typeof value !== "object" || value === null) return value;
  const special: Properties = { ...value };
  switch (special[SIGNATURE]) {
    case SECRET:
      return secret(special.value, path, secrets);
    case OUTPUT:
      if (special.secret) return secret("value" in special ? special.value : UNKNOWN, path, secrets);
      return "value" in special ? plain(special.value, path, secrets) : UNKNOWN;
    case RESOURCE:
      return plain(special.id ?? special.urn, path, secrets);
    default:
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, plain(item, [...path, name], secrets)]),
      );
  }
}

function secret(value: unknown, path: Path, secrets: Path[]): unknown {
  const entry = path.findIndex((part) => typeof part === "number");
  secrets.push(entry < 0 ? path : path.slice(0, entry));
  const bare = plain(value, path, secrets);
  noteSecret(bare);
  return bare;
}

/** Properties for the engine, with secrets in their wrappings and without undefined values. */
export function sent(values: Properties, secrets: readonly Path[]): Struct {
  const wrapped = secrets.reduce<unknown>((value, path) => withSecret(value, path), withoutUndefined(values));
  // The types of Struct ask for JSON; wrapping a secret in JSON yields JSON.
  return Struct.fromJavaScript(wrapped as Parameters<typeof Struct.fromJavaScript>[0]);
}

function withSecret(value: unknown, [name, ...rest]: Path): unknown {
  if (isSecret(value)) return value;
  if (name === undefined) return asSecret(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const properties: Record<PropertyKey, unknown> = { ...value };
  return own(properties, name) == null
    ? value
    : { ...properties, [name]: withSecret(own(properties, name), rest) };
}

export function asSecret(value: unknown): object {
  noteSecret(value);
  return { [SIGNATURE]: SECRET, value };
}

const isSecret = (value: unknown): boolean => isObject(value) && value[SIGNATURE] === SECRET;

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item) ?? null);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name, withoutUndefined(item)]),
  );
}
