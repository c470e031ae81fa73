/** How much is measured: everything, a quick look of some minutes, or next to nothing. */
export interface Settings {
  /** How often each contender has its turn; medians are shown. */
  readonly rounds: number;
  /** Seconds of each load. */
  readonly warmUp: number;
  readonly seconds: number;
  /** Numbers of server processes on one PostgreSQL. */
  readonly servers: readonly number[];
  /**
   * A folder with another build, for example of an older release, whose server is measured beside ours.
   */
  readonly beside?: string | undefined;
  /** Whether peers are compiled; where not, a server of ours takes their place. */
  readonly peers: boolean;
  /** Numbers of objects for the measurement of growth. */
  readonly sizes: readonly number[];
  /** Numbers of objects in change sets. */
  readonly sets: readonly number[];
  /** The number of events to deliver. */
  readonly events: number;
  /** The number of changes whose events are timed. */
  readonly changes: number;
  /**
   * How many hostports a gateway serves, how many changes of it are timed, how many agents connect, and how
   * many MiB each sends.
   */
  readonly hostports: readonly number[];
  readonly enforced: number;
  readonly agents: number;
  readonly tunnelled: number;
  /** How many addresses a server has for the measurement of guarantees, and how many of these. */
  readonly guaranteed: { readonly addresses: number; readonly guarantees: number };
  /** How many objects are searched. */
  readonly searched: number;
  /** The number of resources in each stack, and how often the stack goes through its phases. */
  readonly stacks: readonly { readonly count: number; readonly rounds: number }[];
}

export const FULL: Settings = {
  rounds: 3,
  warmUp: 1,
  seconds: 4,
  servers: [1, 2],
  peers: true,
  sizes: [1e3, 1e4, 1e5, 1e6],
  sets: [100, 1000, 5000],
  events: 1e5,
  changes: 2000,
  hostports: [1e3, 1e4],
  enforced: 100,
  agents: 1000,
  tunnelled: 1024,
  guaranteed: { addresses: 10_000, guarantees: 1_000 },
  searched: 100_000,
  stacks: [
    { count: 100, rounds: 3 },
    { count: 1000, rounds: 1 },
  ],
};

export const SHORT: Settings = {
  rounds: 1,
  warmUp: 0.5,
  seconds: 1,
  servers: [1, 2],
  peers: true,
  sizes: [1e3, 1e4],
  sets: [100, 1000],
  events: 20_000,
  changes: 300,
  hostports: [1e3],
  enforced: 20,
  agents: 50,
  tunnelled: 128,
  guaranteed: { addresses: 2_000, guarantees: 100 },
  searched: 10_000,
  stacks: [{ count: 20, rounds: 1 }],
};

let share = 1;

/** Takes only a share of every {@link amount}, from 0 to 1. */
export function takeShare(of: number): void {
  share = of;
}

/** How many of something a part takes that are as many in the full form as in the short one. */
export const amount = (count: number): number => Math.max(2, Math.round(count * share));

/** Shows only that each part still runs: its figures say nothing. */
export const SHORTEST: Settings = {
  rounds: 1,
  warmUp: 0,
  seconds: 0.01,
  servers: [1],
  peers: false,
  sizes: [100],
  sets: [10],
  events: 200,
  changes: 10,
  hostports: [10],
  enforced: 2,
  agents: 2,
  tunnelled: 1,
  guaranteed: { addresses: 20, guarantees: 2 },
  searched: 100,
  stacks: [{ count: 2, rounds: 1 }],
};
