import { SharedThread, type SharedThreadOptions } from "../util";

/** How long one order may wait for its turn, in milliseconds. */
const MAX_WAIT_MS = 5_000;

interface Options<Order>
  extends Pick<SharedThreadOptions<Order>, "name" | "task" | "work" | "threads" | "longest"> {
  /** The file next to this one, without its ending. */
  readonly worker: "decisionWorker" | "judgingWorker" | "validationWorker";
  /** The limits in MiB. A larger young generation stays with the process once the thread has ended. */
  readonly memory: { readonly old: number; readonly young: number };
}

/** The threads of one kind of work. */
export const threadsOf = <Order, Result>({ worker, memory, ...options }: Options<Order>) =>
  new SharedThread<Order, Result>({
    ...options,
    file: require.resolve(`./${worker}`),
    maxWaitMs: MAX_WAIT_MS,
    resourceLimits: { maxOldGenerationSizeMb: memory.old, maxYoungGenerationSizeMb: memory.young },
  });
