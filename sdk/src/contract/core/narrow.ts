/**
 * For values that are always there, although the types cannot show it. Throws if one is missing, unlike a
 * cast.
 */
export function present<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error("A value that must be there is missing");
  return value;
}

/** Whether a value is a JSON object, and no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The keys of a table whose type names them all. */
export const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(table) as K[];

/** The entries of a table, all of whose keys its type names. */
export const entriesOf = <K extends string, V>(table: Readonly<Record<K, V>>): [K, V][] =>
  Object.entries<V>(table) as [K, V][];

/** The code of an error, such as `ENOENT`; undefined if it has none. */
export const codeOf = (thrown: unknown): string | undefined =>
  isObject(thrown) && typeof thrown.code === "string" ? thrown.code : undefined;

/** The message of what was thrown, which need not be an Error. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/**
 * The value of a name that users may choose: never what each object inherits, such as `constructor`. A
 * look-up by a variable finds that, so `npm run check` refuses it.
 */
export const own = <T>(
  values: Readonly<Record<string, T>> | null | undefined,
  name: PropertyKey,
): T | undefined => (values != null && Object.hasOwn(values, name) ? values[name as string] : undefined);
