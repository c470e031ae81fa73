import { reach, type Step } from "../steps";
import { GrpcServer } from "./grpc";
import { KINDS, type Kind, type Resource, type Resources, type World } from "./resources";
import { METHOD, Stream } from "./stream";

/** Resources for which Envoy asks once a listener names them. */
const NAMED = ["secret", "route", "filter"] as const;

/** Connections of a chain that goes are drained for a few seconds, in which they use its clusters. */
const LINGER_MS = 8000;

interface Options {
  /** Resolves once Envoy uses the clusters that it took: it may check their health first. */
  readonly whenWarm?: (clusters: readonly string[]) => Promise<void>;
  /** How long clusters stay that nothing needs, in milliseconds. Default: {@link LINGER_MS}. */
  readonly linger?: number;
  /** How long routes keep their first form after the listeners were taken, in milliseconds. Default: 0. */
  readonly handover?: number;
}

/** A resource that Envoy refused, with its words. */
export interface Refused {
  readonly kind: Kind;
  readonly name: string;
  readonly reason: string;
}

/** How Envoy dealt with a world; "silent" if it did not answer in time, "absent" if none is connected. */
export type Outcome = "taken" | "silent" | "absent" | readonly Refused[];

interface Goal {
  readonly world: World;
  /** Routes in the form that they have until hosts were handed over, by name. */
  readonly first: Resources;
}

/** Feeds one Envoy by its own protocol. docs/architecture/gateway.md has pictures of the states. */
export class AdsServer {
  #grpc: GrpcServer | undefined;
  /** Of the Envoy that came last. */
  #stream: Stream | undefined;
  /** All that asked, and have not ended. */
  readonly #streams = new Set<Stream>();
  /** Undefined before anything is known: until then, nothing is taken from an Envoy that runs. */
  #goal: Goal | undefined;
  #isHandedOver = false;
  /** Counts the goals and the streams: what was begun for an earlier one is given up. */
  #round = 0;
  #outcome: Outcome = "absent";
  /** Whether an Envoy ever took a world. */
  hasTaken = false;
  /** Whether something was published since the Envoy that is connected came. */
  #isPublished = false;
  #waiting: (() => void)[] = [];
  /** Since when clusters have not been needed, by name. */
  readonly #leaving = new Map<string, number>();
  #sweep: NodeJS.Timeout | undefined;
  #later: NodeJS.Timeout | undefined;

  constructor(
    readonly socket: string,
    private readonly options: Options = {},
  ) {}

  /** @throws if another gateway serves at this socket */
  async start(): Promise<void> {
    this.#grpc = await GrpcServer.start(this.socket, {
      path: METHOD,
      open: (grpc) => {
        const stream = new Stream(grpc, (kind, asked) => this.#hear(stream, kind, asked));
        return { message: (bytes) => stream.receive(bytes), end: () => this.#end(stream) };
      },
    });
  }

  async stop(): Promise<void> {
    clearTimeout(this.#sweep);
    clearTimeout(this.#later);
    await this.#grpc?.stop();
  }

  /** Whether an Envoy is connected, and whether it has to answer something. */
  get state(): "none" | "open" | "asking" {
    if (!this.#stream) return "none";
    return this.#outcome === "silent" ? "asking" : "open";
  }

  /** Whether the Envoy that is connected took all, or was given it while somebody waited for its answer. */
  get isSettled(): boolean {
    return this.#stream !== undefined && (this.#outcome === "taken" || this.#isPublished);
  }

  /** The version of the Envoy that is connected, as `1.40.0`; empty without one. */
  get version(): string {
    return this.#stream?.version ?? "";
  }

  #begin(stream: Stream): void {
    this.#streams.add(stream);
    this.#stream = stream;
    this.#leaving.clear();
    this.#isPublished = false;
    void this.#run();
  }

  #end(stream: Stream): void {
    stream.isOpen = false;
    this.#streams.delete(stream);
    if (this.#stream === stream) {
      this.#stream = undefined;
      this.#round++;
      this.#outcome = "absent";
      // An Envoy that was there before comes anew, and gets all that it missed.
      for (const former of this.#streams) former.end();
    }
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** @param end when to wait no longer, in milliseconds */
  async #untilOr(end: number, holds: () => boolean): Promise<void> {
    const late = setTimeout(() => this.#wake(), end - Date.now() + 1);
    await this.#until(() => holds() || Date.now() >= end);
    clearTimeout(late);
  }

  /**
   * Gives Envoy another world, now and whenever one connects.
   * @param first routes that have another form until a while after the listeners were taken
   * @param patience how long Envoy may take, in milliseconds
   */
  async publish(world: World, first: Resources, patience: number): Promise<Outcome> {
    this.#goal = { world, first };
    this.#isPublished = true;
    this.#isHandedOver = false;
    void this.#run();
    await this.#untilOr(Date.now() + patience, () => this.#outcome !== "silent");
    return this.#outcome;
  }

  /**
   * Asks Envoy about listeners beside those that serve, without serving anything. Returns why it refuses
   * some, by name.
   */
  async probe(listeners: readonly Resource[], patience: number): Promise<ReadonlyMap<string, string>> {
    const stream = this.#stream;
    if (!stream?.asks("listener")) return new Map();
    const end = Date.now() + patience;
    const isAnswered = () => !stream.isOpen || stream.isAnswered("listener");
    stream.send("listener", listeners);
    await this.#untilOr(end, isAnswered);
    const refused = listeners.flatMap(({ name }): [string, string][] => {
      const held = stream.held("listener", name);
      return held?.state === "refused" ? [[name, held.reason]] : [];
    });
    stream.send(
      "listener",
      [],
      listeners.map(({ name }) => name),
    );
    await this.#untilOr(end, isAnswered);
    return new Map(refused);
  }

  /** Envoy asks for resources by name once a listener refers to them. */
  #hear(stream: Stream, kind: Kind, asked: readonly string[]): void {
    if (!this.#streams.has(stream)) this.#begin(stream);
    if (this.#goal && this.#stream === stream && kind !== "listener" && kind !== "cluster")
      stream.send(
        kind,
        asked.flatMap((name) => this.#current(kind, name) ?? []),
      );
    this.#wake();
  }

  #current(kind: Kind, name: string): Resource | undefined {
    const { world, first } = this.#goal ?? {};
    return (kind === "route" && !this.#isHandedOver && first?.get(name)) || world?.[kind].get(name);
  }

  /**
   * What is added comes first, then what refers to it, then what goes, each after Envoy has taken the
   * one before.
   */
  async #run(): Promise<void> {
    const round = ++this.#round;
    const [stream, goal] = [this.#stream, this.#goal];
    this.#outcome = stream && goal ? "silent" : "absent";
    this.#wake();
    if (!stream || !goal) return;
    const { world } = goal;
    const isNew = ({ name, version }: Resource) => stream.held("cluster", name)?.version !== version;
    const newClusters = [...world.cluster.values()].filter(isNew).map(({ name }) => name);
    const isOver = () => this.#round !== round;
    const step = async (kind: Kind) => {
      await this.#until(() => isOver() || stream.asks(kind));
      if (!isOver()) this.#send(stream, kind);
      return this.#isOverOrRefused(stream, kind, isOver);
    };
    const isStopped =
      (await step("cluster")) ||
      (await this.#isOverWhenWarm(newClusters, isOver)) ||
      (await this.#update(stream, "secret", isOver)) ||
      (await this.#update(stream, "route", isOver)) ||
      (await step("listener"));
    if (!isStopped) {
      // What its listeners newly refer to, Envoy asks for now.
      const isSettled = (kind: Kind) =>
        stream.isAnswered(kind) &&
        [...world[kind].keys()].every((name) => this.#isSettled(stream, kind, name));
      await this.#until(() => isOver() || NAMED.every(isSettled) || this.#allRefusals(stream).length > 0);
      if (!isOver() && this.#allRefusals(stream).length === 0) await this.#handOver(stream, goal, isOver);
    }
    if (isOver()) return;
    const refused = this.#allRefusals(stream);
    this.#outcome = refused.length === 0 ? "taken" : refused;
    if (this.#outcome === "taken") {
      this.hasTaken = true;
      reach("served");
      this.#sweepUp(stream, isOver);
    }
    this.#wake();
  }

  /** Gives routes their last form, at once or in a while. */
  async #handOver(stream: Stream, { first }: Goal, isOver: () => boolean): Promise<void> {
    const { handover = 0 } = this.options;
    const now = async () => {
      if (isOver()) return;
      this.#isHandedOver = true;
      await this.#update(stream, "route", isOver);
    };
    if (first.size === 0 || this.#isHandedOver || handover === 0) return now();
    clearTimeout(this.#later);
    this.#later = setTimeout(() => void now(), handover);
  }

  async #isOverWhenWarm(clusters: readonly string[], isOver: () => boolean): Promise<boolean> {
    await this.options.whenWarm?.(clusters);
    return isOver();
  }

  #send(stream: Stream, kind: Kind): void {
    const { world } = this.#goal as Goal;
    const removed = kind === "listener" ? stream.names(kind).filter((name) => !world[kind].has(name)) : [];
    stream.send(kind, [...world[kind].values()], removed);
  }

  /** Sends what Envoy has in another version. Returns whether that ends the round. */
  async #update(stream: Stream, kind: "secret" | "route", isOver: () => boolean): Promise<boolean> {
    const names = stream.names(kind);
    stream.send(
      kind,
      names.flatMap((name) => this.#current(kind, name) ?? []),
    );
    return this.#isOverOrRefused(stream, kind, isOver);
  }

  /** Waits until Envoy has answered all of a kind. */
  async #isOverOrRefused(stream: Stream, kind: Kind, isOver: () => boolean): Promise<boolean> {
    await this.#until(() => isOver() || stream.isAnswered(kind));
    reach(`${kind}s` satisfies Step);
    return isOver() || this.#refusals(stream, kind).length > 0;
  }

  #isSettled(stream: Stream, kind: Kind, name: string): boolean {
    const held = stream.held(kind, name);
    return held !== undefined && held.state !== "sent" && held.version === this.#current(kind, name)?.version;
  }

  #refusals(stream: Stream, kind: Kind): Refused[] {
    return stream.refused(kind).flatMap((name) => {
      const held = stream.held(kind, name);
      return held?.state === "refused" && held.version === this.#current(kind, name)?.version
        ? [{ kind, name, reason: held.reason }]
        : [];
    });
  }

  readonly #allRefusals = (stream: Stream): Refused[] =>
    KINDS.flatMap((kind) => this.#refusals(stream, kind));

  /** Takes clusters away that nothing has used for a while. */
  #sweepUp(stream: Stream, isOver: () => boolean): void {
    clearTimeout(this.#sweep);
    if (isOver() || !stream.isOpen) return;
    const { world } = this.#goal as Goal;
    const { linger = LINGER_MS } = this.options;
    const now = Date.now();
    for (const name of this.#leaving.keys()) if (world.cluster.has(name)) this.#leaving.delete(name);
    for (const name of stream.names("cluster"))
      if (!world.cluster.has(name) && !this.#leaving.has(name)) this.#leaving.set(name, now);
    const due = [...this.#leaving].filter(([, since]) => now - since >= linger).map(([name]) => name);
    for (const name of due) this.#leaving.delete(name);
    stream.send("cluster", [], due);
    if (this.#leaving.size > 0) this.#sweep = setTimeout(() => this.#sweepUp(stream, isOver), linger).unref();
  }
}
