import { formatPath, isObject, own } from "@tunnelplane/sdk/contract";

/** A value that an update changed: its path, old and new value. Null means not set. */
export interface Difference {
  readonly path: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** Compares two objects field by field; lists are compared as a whole. */
export function differences(before: unknown, after: unknown, path: string[] = []): Difference[] {
  if (Object.is(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(own(before, name), own(after, name), [...path, name]));
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path: formatPath(path), old: before ?? null, new: after ?? null }];
}
