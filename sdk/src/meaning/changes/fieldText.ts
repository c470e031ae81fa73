import { zeroWords } from "../../contract/zeroes";
import { code } from "../names";
import { canonical, isObject, shortHash } from "../values";
import { UNKNOWN } from "../world";
import type { Difference } from "./differences";

/** A declared field that a finding rests on. */
export interface FieldChange {
  /** The object that has the field. */
  readonly kind: string;
  readonly name: string;
  /** The path of the field, in the names of the API: `oidc.issuer`. */
  readonly field: string;
  /** null if it is not set. Names replace ids. Absent for a secret. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** Whether the value is a secret. */
  readonly secret?: true;
}

/** Longer texts are cut, and followed by a hash, so that two of them never look the same. */
const MAX_VALUE_LENGTH = 1000;
const MAX_WORDS_LENGTH = 100;

const PEM = /-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(-----END [A-Z0-9 ]+-----\s*|$)/g;

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}… (hash ${shortHash(text)})` : text;

/** A value as findings repeat it: PEMs and long texts are hashes. */
export function repeated(value: unknown): unknown {
  if (value === UNKNOWN) return "(not known yet)";
  if (typeof value === "string")
    return cut(
      value.replace(PEM, (pem) => `(PEM, hash ${shortHash(pem.replace(/\s+/g, ""))})`),
      MAX_VALUE_LENGTH,
    );
  if (Array.isArray(value)) return value.map(repeated);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, repeated(item)]))
    : value;
}

const inCode = (text: string): string => code(cut(text, MAX_WORDS_LENGTH));

const valueText = (value: unknown, field = ""): string => {
  if (value === 0) return zeroWords(field) ?? "0";
  if (value === null || value === undefined || value === "") return "unset";
  if (value === UNKNOWN) return "a value that is not known yet";
  const shown = repeated(value);
  return typeof shown === "string"
    ? inCode(shown)
    : isObject(shown) || Array.isArray(shown)
      ? inCode(canonical(shown))
      : String(shown);
};

const MAX_ITEMS = 5;

const items = (list: readonly unknown[]): string =>
  list.length > MAX_ITEMS
    ? `${list
        .slice(0, MAX_ITEMS - 1)
        .map((item) => valueText(item))
        .join(", ")} and ${list.length - MAX_ITEMS + 1} others`
    : list.map((item) => valueText(item)).join(", ");

/** The entries that a list lost and gained; undefined if one of the two is not a list. */
function itemsOf({ before, after }: Pick<FieldChange, "before" | "after">): {
  readonly gone: readonly unknown[];
  readonly come: readonly unknown[];
} {
  if (!Array.isArray(before) || !Array.isArray(after)) return { gone: [], come: [] };
  const [was, is] = [new Set(before.map(canonical)), new Set(after.map(canonical))];
  return {
    gone: before.filter((item) => !is.has(canonical(item))),
    come: after.filter((item) => !was.has(canonical(item))),
  };
}

/** The values of a field before and after, in words that differ. */
export function beforeAndAfterText({
  before,
  after,
  secret,
  field,
}: Pick<FieldChange, "before" | "after" | "secret"> & { readonly field?: string }): {
  readonly before: string;
  readonly after: string;
} {
  if (secret) return { before: "a secret", after: "another secret" };
  const { gone, come } = itemsOf({ before, after });
  if (gone.length + come.length > 0)
    return {
      before: gone.length > 0 ? items(gone) : `without ${items(come)}`,
      after: come.length > 0 ? items(come) : `without ${items(gone)}`,
    };
  const [was, is] = [valueText(before, field), valueText(after, field)];
  if (was !== is) return { before: was, after: is };
  const hashed = (value: unknown) => `${valueText(value)} (hash ${shortHash(canonical(value))})`;
  return { before: hashed(before), after: hashed(after) };
}

/** "from `a` to `b`"; or the entries that a list only gained or only lost. */
function changeText(change: FieldChange): string {
  const { gone, come } = itemsOf(change);
  if (come.length > 0 && gone.length === 0) return `gains ${items(come)}`;
  if (gone.length > 0 && come.length === 0) return `loses ${items(gone)}`;
  const { before, after } = beforeAndAfterText(change);
  return `from ${before} to ${after}`;
}

const MAX_FIELDS = 10;

/** The fields with their values: "`oidc.issuer` from `a` to `b`". */
export function changesText(changes: readonly FieldChange[], about: { kind: string; name: string }): string {
  const texts = changes.map((change) => {
    const of = change.kind === about.kind && change.name === about.name ? "" : ` of ${inCode(change.name)}`;
    return `${inCode(change.field)}${of} ${change.secret ? "(a secret)" : changeText(change)}`;
  });
  const shown = texts.slice(0, MAX_FIELDS);
  if (texts.length > MAX_FIELDS) shown.push(`${texts.length - MAX_FIELDS} other fields`);
  return shown.join("; ");
}

/** A difference without the parts that only hashes need. */
export const fieldChange = (
  { thing, field, before, after, secret }: Difference,
  name: string,
): FieldChange => ({
  kind: thing.kind,
  name,
  field,
  ...(secret ? { secret } : { before: repeated(before), after: repeated(after) }),
});
