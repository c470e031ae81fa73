import { setTimeout as sleep } from "node:timers/promises";
import { definitionNamed, endTimeOf, present } from "@tunnelplane/sdk/contract";
import { Job } from "@tunnelplane/sdk/jobs";
import type { GuaranteeState, World } from "@tunnelplane/sdk/meaning";
import { type Compute, type StatesToJudge, TooLong } from "../../compute";
import { portsOf } from "../../gateways";
import type { ServerContext } from "../../resources";
import { View } from "../../view";
import {
  claim,
  type DueRow,
  dueIn,
  type KeptRow,
  keep,
  keptStates,
  nextDue,
  touchOfOtherPorts,
} from "./keptTable";
import { withAnswers, withReason, worldOf } from "./stored";
import { fieldsIn } from "./table";

/** How often to look, by an index, whose states are due. Readers who wait for one have it looked at once. */
const POLL_MS = 500;
/** Guarantees that are judged in one turn of their project, unless that takes too long. */
const AT_ONCE = 8;
/** Projects whose states are judged, or wait for their turn, at once. */
const MAX_PROJECTS = 64;
/**
 * So long other servers leave a state to the one that judges it. One that was killed is followed soon; what
 * takes longer may be judged twice.
 */
export const CLAIM_MS = 2_000;
/** After an error, states are judged again after this time. */
const AGAIN_MS = 5_000;
/** How long an answer waits for a state that a change has touched. */
const MAX_WAIT_MS = 10_000;
/** How often it looks for a state that another server has judged. */
const LOOK_EVERY_MS = 250;

/** What answers tell of the state of a guarantee. */
interface ToldState extends GuaranteeState {
  readonly judged_at: string | null;
}

type Context = Pick<ServerContext, "store" | "documents">;

interface Logger {
  error(details: unknown, message: string): void;
}

/**
 * Keeps the states of guarantees, as everybody in their project may know them. A write marks those that it
 * touches in its own transaction; they are judged in the background, so that one who reads judges nothing.
 * What a server that was killed had begun, it or another one does again.
 */
export class KeptStates {
  #logger: Logger | undefined;
  /** The ports of which the table knows, as JSON; undefined before the first look. */
  #ports: string | undefined;
  readonly #working = new Map<string, Promise<void>>();
  /** Those who wait for states, and of which guarantees. */
  readonly #waiting = new Map<() => void, ReadonlySet<string>>();
  readonly #stopping = new AbortController();
  readonly #rounds = new Job({
    name: "look for states of guarantees to judge",
    everyMs: POLL_MS,
    work: () => this.#begin(),
    onError: (error, message) => this.#logger?.error({ err: error }, message),
  });

  constructor(
    private readonly context: Context,
    private readonly judging: Compute["guarantees"],
  ) {}

  /** Works until {@link stop}. */
  start(logger: Logger): void {
    this.#logger = logger;
    this.#rounds.start().wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
    await Promise.all(this.#working.values());
  }

  /**
   * The kept states of guarantees, by their ids. Waits for those that a change has touched; what is not
   * judged in time is not proved.
   *
   * @param gone aborts when nobody waits for the answer any more
   */
  async read(ids: readonly string[], gone?: AbortSignal): Promise<ReadonlyMap<string, ToldState>> {
    const { reader } = this.context.store;
    const until = Date.now() + MAX_WAIT_MS;
    const ports = portsText(await portsOf(reader));
    const asked = Date.now();
    let rows = await keptStates(reader, ids);
    const wanted = new Map(rows.map((row) => [row.guarantee_id, row.touched]));
    const isBehind = (row: KeptRow) =>
      row.judged < (wanted.get(row.guarantee_id) ?? 0) ||
      row.ports !== ports ||
      (row.ends_at !== null && row.ends_at <= asked);
    while (rows.some(isBehind) && Date.now() < until) {
      await this.#news(new Set(rows.filter(isBehind).map((row) => row.guarantee_id)), gone);
      gone?.throwIfAborted();
      rows = await keptStates(reader, ids);
    }
    gone?.throwIfAborted();
    return new Map(rows.map((row) => [row.guarantee_id, isBehind(row) ? behind(row) : told(row)]));
  }

  /** Resolves when one of these states was judged, here or perhaps elsewhere. */
  async #news(ids: ReadonlySet<string>, gone?: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.#waiting.set(wake, ids);
    gone?.addEventListener("abort", wake);
    this.#rounds.wake();
    await sleep(LOOK_EVERY_MS, undefined, { signal: woken.signal }).catch(() => undefined);
    gone?.removeEventListener("abort", wake);
    this.#waiting.delete(wake);
  }

  /** Starts work on the projects with states to judge. Each wakes the next round when it has finished. */
  async #begin(): Promise<void> {
    const { store } = this.context;
    const ports = portsText(await portsOf(store.reader));
    if (ports !== this.#ports) await store.write((transaction) => touchOfOtherPorts(transaction, { ports }));
    this.#ports = ports;
    const now = await store.now();
    for (let after = ""; this.#working.size < MAX_PROJECTS; ) {
      const [due] = await nextDue(store.reader, { after, now });
      if (!due) break;
      after = due.project_id;
      if (!this.#working.has(after)) this.#working.set(after, this.#work(after));
    }
  }

  async #work(project: string): Promise<void> {
    try {
      await this.#judge(project);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#logger?.error({ err: error, project }, "cannot judge the states of guarantees");
      await sleep(AGAIN_MS, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => undefined);
    } finally {
      this.#working.delete(project);
      this.#rounds.wake();
    }
  }

  /** Judges some of a project; each by itself if together they take too long. */
  async #judge(project: string): Promise<void> {
    const due = await this.#due(project);
    if (due.length === 0) return;
    try {
      await this.#keep(project, due);
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      for (const row of due)
        await this.#keep(project, [row]).catch((failed: unknown) => {
          if (!(failed instanceof TooLong)) throw failed;
          return this.#store([row], [TOOK_TOO_LONG], { objects: [] });
        });
    }
  }

  /** Those that are due and that no other server judges. On SQLite there is none. */
  async #due(project: string): Promise<readonly DueRow[]> {
    const { store } = this.context;
    const now = await store.now();
    const due = await dueIn(store.reader, { project, now, limit: AT_ONCE });
    if (due.length === 0 || !store.isParallel) return due;
    const order = { ids: JSON.stringify(due.map((row) => row.guarantee_id)), now, until: now + CLAIM_MS };
    const claimed = new Set((await store.write((db) => claim(db, order))).map((row) => row.guarantee_id));
    return due.filter((row) => claimed.has(row.guarantee_id));
  }

  async #keep(project: string, due: readonly DueRow[]): Promise<void> {
    const { store, documents } = this.context;
    const guarantees = due.map(({ document }) => fieldsIn(document));
    let world: World = { objects: [] };
    const view = View.ofProject({ db: store.reader, documents }, project);
    const judge = (read: () => Promise<StatesToJudge>) =>
      this.judging.statesToKeep(project, read, this.#stopping.signal);
    const judged = await judge(async () => {
      world = await worldOf(store.reader, view, guarantees);
      return { world, guarantees };
    });
    const states = await withAnswers(judged, { world, guarantees }, view, (again) =>
      judge(async () => again),
    );
    // Too many objects for all of them are not always too many for each.
    if (world.partial && due.length > 1) for (const row of due) await this.#keep(project, [row]);
    else await this.#store(due, states, world);
  }

  async #store(due: readonly DueRow[], states: readonly GuaranteeState[], world: World): Promise<void> {
    const judgedAt = new Date(world.now ?? Date.now());
    const kept = {
      judged_at: judgedAt.toISOString(),
      ports: portsText(world.ports),
      ends_at: endOf(world, judgedAt.getTime()),
    };
    await this.context.store.write(async (transaction) => {
      for (const [index, { guarantee_id: id, touched }] of due.entries()) {
        const state = withReason(present(states[index]), world);
        await keep(transaction, { ...kept, id, judged: Number(touched), state: JSON.stringify(state) });
      }
    });
    for (const [wake, ids] of this.#waiting) if (due.some((row) => ids.has(row.guarantee_id))) wake();
  }
}

const TOOK_TOO_LONG: GuaranteeState = {
  state: "unproved",
  covered: 0,
  reason: "It takes too long to judge.",
};

const portsText = (ports: readonly number[] | undefined): string => (ports ? JSON.stringify(ports) : "");

/** When something in a world ends; null for never. */
function endOf({ objects }: World, now: number): number | null {
  let first = Number.POSITIVE_INFINITY;
  for (const { kind, fields } of objects) {
    const end = endTimeOf(definitionNamed(kind), fields) ?? first;
    if (end > now) first = Math.min(first, end);
  }
  return Number.isFinite(first) ? first : null;
}

const told = ({ state, judged_at }: KeptRow): ToldState => ({ ...JSON.parse(state ?? "{}"), judged_at });

const behind = ({ state, judged_at }: KeptRow): ToldState => {
  const { covered = 0 }: Partial<GuaranteeState> = JSON.parse(state ?? "{}");
  const since = judged_at === null ? "" : ` since ${judged_at}`;
  return {
    state: "unproved",
    covered,
    reason: `What changed${since} is not judged yet; ask again shortly.`,
    judged_at,
  };
};
