import { canonical } from "../values";

/** A value, and the checks by their numbers that take it. */
export interface Choice<T> {
  readonly value: T;
  readonly by: readonly number[];
}

/** The first of the choices that the same checks take. */
export const distinct = <T>(choices: readonly Choice<T>[]): Choice<T>[] => {
  const found = new Map<string, Choice<T>>();
  for (const one of choices) if (!found.has(one.by.join())) found.set(one.by.join(), one);
  return [...found.values()];
};

/** One value for each combination of lists that hold it. */
export const apart = <T>(lists: readonly (readonly T[])[]): Choice<T>[] =>
  distinct(
    lists.flat().map((value) => {
      const text = canonical(value);
      const by = lists.flatMap((list, number) =>
        list.some((one) => canonical(one) === text) ? [number] : [],
      );
      return { value, by };
    }),
  );

/** The lists of values that are needed to satisfy each combination of checks: one list for each. */
export function together<T>(values: readonly Choice<T>[]): Choice<readonly T[]>[] {
  const found = new Map<string, Choice<readonly T[]>>();
  const open = values.map(({ value, by }) => ({ value: [value], by: [...by] }));
  for (const one of open) {
    if (found.has(one.by.join())) continue;
    found.set(one.by.join(), one);
    for (const other of values) {
      const by = [...new Set([...one.by, ...other.by])].sort((a, b) => a - b);
      open.push({ value: [...one.value, other.value], by });
    }
  }
  return [...found.values()];
}

/**
 * Adds one more choice to each: a combination is taken by the checks that take both parts.
 *
 * @param join returns undefined if the two cannot be combined
 */
export const choose = <A, B, C>(
  some: readonly Choice<A>[],
  others: readonly Choice<B>[],
  join: (one: A, other: B) => C | undefined,
): Choice<C>[] => {
  const found = new Map<string, Choice<C>>();
  for (const one of some)
    for (const other of others) {
      const by = one.by.filter((check) => other.by.includes(check));
      if (found.has(by.join())) continue;
      const value = join(one.value, other.value);
      if (value !== undefined) found.set(by.join(), { value, by });
    }
  return [...found.values()];
};
