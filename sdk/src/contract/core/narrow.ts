/**
 * For values that are always there, although the types cannot show it. Throws if one is missing, unlike a
 * cast.
 */
export function present<T>(value: T | null | undefined): T {
  if (value === undefined || value === null)
    throw new Error("A value is missing that was thought to be always there");
  return value;
}

/** Whether a value is a JSON object, and no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The message of what was thrown, which need not be an Error. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
