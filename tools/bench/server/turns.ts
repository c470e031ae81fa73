import type { LoadGenerator } from "../load";
import type { LoadResult } from "../load/job";
import { medianBy } from "../report/section";
import type { Settings } from "../settings";
import type { Contender } from "./contender";
import type { DatabaseCost } from "./databaseWatch";
import { jobOf, type OperationName } from "./subject";

export type Result = LoadResult & Partial<DatabaseCost>;
export type Results = Record<OperationName, Result>;

/** The columns of what each contender did. */
export const COLUMNS = {
  operation: "",
  of: "",
  perSecond: "requests/s",
  p50: "p50 ms",
  p99: "p99 ms",
  cpu: "CPU µs/request",
  errors: "errors",
};

/** The work that each contender is given. */
export interface Load {
  readonly operations: readonly OperationName[];
  readonly connections: number;
}

/**
 * Contenders alternate, round by round, so that a slow spell of the machine hits all of them. Every second
 * round is in the opposite order: of two equal servers, the second was 0.83 to 0.92 times as fast.
 */
export async function inTurn<Name extends string>(
  contenders: Record<Name, Contender>,
  { rounds, warmUp, seconds }: Settings,
  generator: LoadGenerator,
  { operations, connections }: Load,
  watch?: (name: Name) => Promise<() => Promise<DatabaseCost>>,
): Promise<Record<Name, Results>> {
  const names = Object.keys(contenders) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, {}])) as Record<Name, Results>;
  for (const operation of operations) {
    const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
    for (let round = 0; round < rounds; round++) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const contender = contenders[name];
        const load = { ...contender, ...jobOf(contender, operation), connections, warmUp, seconds };
        const costOf = await watch?.(name);
        const result = await generator.run(load);
        measured[name].push({ ...result, ...(await costOf?.()) });
      }
    }
    for (const name of names) {
      const errors = measured[name].reduce((sum, result) => sum + result.errors, 0);
      results[name][operation] = { ...medianBy(measured[name], (result) => result.perSecond), errors };
    }
  }
  return results;
}
