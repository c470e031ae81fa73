import { canonical } from "../values";

/** A value, and the checks by their numbers that take it. */
export interface Choice<T> {
  readonly value: T;
  readonly by: readonly number[];
}

/** The first of the choices that the same checks take. */
export const distinct = <T>(choices: readonly Choice<T>[]): Choice<T>[] => {
  const found = new Map<string, Choice<T>>();
  for (const choice of choices) if (!found.has(choice.by.join())) found.set(choice.by.join(), choice);
  return [...found.values()];
};

/** One value for each combination of lists that hold it. */
export const apart = <T>(lists: readonly (readonly T[])[]): Choice<T>[] =>
  distinct(
    lists.flat().map((value) => {
      const text = canonical(value);
      const by = lists.flatMap((list, number) =>
        list.some((member) => canonical(member) === text) ? [number] : [],
      );
      return { value, by };
    }),
  );

/** The lists of values that are needed to satisfy each combination of checks: one list for each. */
export function together<T>(values: readonly Choice<T>[]): Choice<readonly T[]>[] {
  const found = new Map<string, Choice<readonly T[]>>();
  const open = values.map(({ value, by }) => ({ value: [value], by: [...by] }));
  for (const combination of open) {
    if (found.has(combination.by.join())) continue;
    found.set(combination.by.join(), combination);
    for (const addition of values) {
      const by = [...new Set([...combination.by, ...addition.by])].sort((a, b) => a - b);
      open.push({ value: [...combination.value, addition.value], by });
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
  left: readonly Choice<A>[],
  right: readonly Choice<B>[],
  join: (a: A, b: B) => C | undefined,
): Choice<C>[] => {
  const found = new Map<string, Choice<C>>();
  for (const a of left)
    for (const b of right) {
      const by = a.by.filter((check) => b.by.includes(check));
      if (found.has(by.join())) continue;
      const value = join(a.value, b.value);
      if (value !== undefined) found.set(by.join(), { value, by });
    }
  return [...found.values()];
};
