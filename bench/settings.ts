/** How much is measured: everything, or a quick look of under three minutes in all. */
export interface Settings {
  /** Each contender in turn, so many times; medians are shown. */
  readonly rounds: number;
  /** Seconds of each load. */
  readonly warmUp: number;
  readonly seconds: number;
  /** Numbers of server processes on one PostgreSQL. */
  readonly servers: readonly number[];
  /** How many objects there are in the tests of growth. */
  readonly sizes: readonly number[];
  /** How many events there are to deliver. */
  readonly events: number;
  /** How many changes there are whose events are timed. */
  readonly changes: number;
  /** How many resources a stack has, and how often it goes through its phases. */
  readonly stacks: readonly { readonly count: number; readonly rounds: number }[];
}

export const FULL: Settings = {
  rounds: 3,
  warmUp: 1,
  seconds: 4,
  servers: [1, 2, 4],
  sizes: [1e3, 1e4, 1e5, 1e6],
  events: 1e5,
  changes: 2000,
  stacks: [
    { count: 20, rounds: 3 },
    { count: 100, rounds: 3 },
    { count: 500, rounds: 1 },
  ],
};

export const SHORT: Settings = {
  rounds: 1,
  warmUp: 0.5,
  seconds: 1,
  servers: [1, 2],
  sizes: [1e3, 1e4],
  events: 20_000,
  changes: 300,
  stacks: [{ count: 20, rounds: 1 }],
};
