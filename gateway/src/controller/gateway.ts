import { existsSync } from "node:fs";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { AuthenticationError, PermissionError } from "@tunnelplane/sdk";
import { messageOf } from "@tunnelplane/sdk/contract";
import { Job } from "@tunnelplane/sdk/jobs";
import { limitYoungGeneration } from "@tunnelplane/sdk/node";
import { type NetworkSet, networkSet } from "@tunnelplane/sdk/rules";
import type { Logger } from "pino";
import { declaredBy } from "../agents/declared";
import type { HostKeys } from "../agents/hostKeys";
import type { ServerAuthority } from "../agents/serverAuthority";
import type { AgentSockets } from "../agents/sockets";
import type { SshServer } from "../agents/sshServer";
import type { EnvironmentSource } from "../environment/source";
import { type EdgeState, type Objects, objectsOf } from "../envoy/model";
import { admittedTo } from "../envoy/networks";
import { Reporter, type Status } from "../server/report";
import { type Entry, type News, namesOf, type Source } from "../server/source";
import { readKept, writeWholeLater } from "../state/files";
import { reach } from "../steps";
import type { Marks } from "../sync/marks";
import { type Engine, Synchroniser, Unfinished } from "../sync/synchroniser";
import type { Observer } from "../traffic/observer";
import type { Recorder } from "../traffic/recorder";
import { waitAtMost } from "../waiting";
import type { WebhookChecker } from "../webhooks/checker";
import { Ends } from "./ends";
import { Serving } from "./serving";

/** Authenticates agents. */
export interface Agents {
  readonly authority: ServerAuthority;
  readonly hostKeys: HostKeys;
  readonly sockets: AgentSockets;
  readonly health: Server;
  readonly ssh: SshServer;
}

interface Parts {
  readonly agents?: Agents;
  readonly source: Source;
  readonly environment: EnvironmentSource;
  /** Counts requests; undefined if the operator does not want that. */
  readonly recorder?: Recorder;
  /** Counts requests by hostport; undefined if the operator does not want that. */
  readonly observer?: Observer;
  readonly envoy: Engine;
  readonly log: Logger;
  readonly warn: (message: string) => void;
  readonly marks: Marks;
  /** The file that keeps the objects that were read last. */
  readonly lastObjects: string;
  /** Tells Envoy which webhooks are signed. */
  readonly webhooks: WebhookChecker;
  /** Sends a report to the server. */
  readonly report: (status: Status) => Promise<void>;
}

const TICK_MS = 1000;
const AGAIN_MS = 1000;
/** How long to wait after a configuration that failed: each try asks Envoy about many edges. */
const SERVE_AGAIN_MS = 5000;
/** An Envoy beside the gateway may start a little later. */
const SILENT_MS = 10_000;
/**
 * How long to wait for more changes, as a share of the time that the last one took: changes rarely come
 * alone.
 */
const GATHERING = 1 / 10;

/** Follows a server: reads what is new, has Envoy serve it, and reports the result. */
export class Gateway {
  readonly #synchroniser: Synchroniser;
  readonly #reporter: Reporter;
  readonly #serving = new Serving();
  #entries: readonly Entry[] = [];
  /** What is kept for the next start. */
  #kept: readonly Entry[] = [];
  readonly #ends = new Ends();
  /** Since when Envoy has not answered, in milliseconds. */
  #silentSince: number | undefined;
  /** How long the last change took to be served, in milliseconds. */
  #took = 0;
  /** The last log line about each edge, by its id. */
  #logged: ReadonlyMap<string, string> = new Map();
  #wake: () => void = () => undefined;
  /** When the server last answered, in milliseconds; 0 for never. */
  readAt = 0;
  changes = 0;
  failures = 0;

  constructor(private readonly parts: Parts) {
    this.#synchroniser = new Synchroniser(parts.envoy, parts.marks);
    this.#reporter = new Reporter(parts.report, parts.warn);
  }

  /** Empty while Envoy has not seen the newest configuration, because then its state is unknown. */
  get edges(): readonly EdgeState[] {
    return this.parts.envoy.isInformed ? this.#synchroniser.edges : [];
  }

  /** Whether Envoy got a configuration in this run, even one from the objects of an earlier run. */
  get hasServed(): boolean {
    return this.#serving.hasServed;
  }

  /**
   * Whether Envoy took the newest configuration. Edges and routes that it leaves out by name do not count.
   */
  get isTaken(): boolean {
    return this.#serving.isTaken && this.parts.envoy.isInformed;
  }

  /** How many agents serve something. */
  get agents(): number {
    return this.parts.agents?.ssh.agents.length ?? 0;
  }

  /** How many agents serve a socket. */
  agentsAt = (socket: string): number => this.parts.agents?.sockets.agentsAt(socket) ?? 0;

  async run(signal: AbortSignal): Promise<void> {
    await this.#resume();
    signal.addEventListener("abort", () => this.#wake());
    const following = this.#follow(signal);
    // On a timer of its own: serving may take minutes, and reports show that the gateway is alive.
    const reporting = new Job({
      name: "report",
      everyMs: TICK_MS,
      work: () => {
        this.parts.agents?.ssh.endAt(Date.now());
        this.#report();
      },
      onError: (error, message) => this.parts.warn(`${message}: ${messageOf(error)}`),
    }).start();
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const isDue = this.#serving.isDue(
        Date.now(),
        (now) => this.#ends.isDue(now) || this.parts.environment.isChanged(now),
      );
      if (isDue || (await this.#isEnvoyNew())) await this.#serve();
      this.#report();
      await waitAtMost(this.#serving.dueIn(Date.now(), TICK_MS), woken);
    }
    await reporting.stop();
    await following;
  }

  /** Serves the objects that an earlier run read. */
  async #resume(): Promise<void> {
    const { lastObjects, warn, log } = this.parts;
    if (!existsSync(lastObjects)) return;
    const last = readKept<readonly Entry[]>(lastObjects);
    if (!Array.isArray(last))
      return warn(`${lastObjects} is damaged: nothing is served until the server has been read`);
    this.#keep(last);
    this.#kept = last;
    await this.#serve();
    if (this.isTaken) log.info("serving the objects that the server had when it was last read");
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { source, warn, log } = this.parts;
    let isDown = false;
    while (!signal.aborted) {
      try {
        const news = await source.next(signal);
        this.readAt = Date.now();
        if (isDown) log.info("the server answers again");
        isDown = false;
        await this.#take(news);
      } catch (error) {
        if (signal.aborted) return;
        isDown = true;
        this.failures++;
        warn(
          `the server could not be read: ${messageOf(error)}${cureOf(error)}. The gateway goes on serving the objects that it has`,
        );
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #take({ objects, credentials, hostCertificates, ended }: News): Promise<void> {
    const { source, agents } = this.parts;
    agents?.ssh.endSessions(ended);
    if (objects) {
      reach("read");
      this.#keep(source.entries);
      this.#serving.change(Date.now() + this.#took * GATHERING);
      this.#wake();
    }
    if (!agents) return;
    if (hostCertificates) await agents.hostKeys.refresh();
    if (credentials === "all" || credentials.size > 0) {
      agents.authority.forget(credentials);
      await agents.ssh.review(credentials);
    }
    agents.authority.confirm(new Set(agents.ssh.agents.map(({ credential }) => credential)));
  }

  /** Keeps what was read, for the next start. */
  async #keepObjects(entries: readonly Entry[]): Promise<void> {
    if (entries === this.#kept) return;
    await writeWholeLater(this.parts.lastObjects, JSON.stringify(entries)).then(
      () => {
        this.#kept = entries;
      },
      (error) => this.parts.warn(`what was read could not be kept: ${messageOf(error)}`),
    );
  }

  #keep(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#ends.read(entries);
  }

  /**
   * Whether an Envoy has started since the last configuration was written: it needs that configuration again.
   */
  async #isEnvoyNew(): Promise<boolean> {
    const { envoy, observer, warn } = this.parts;
    if (!this.hasServed || envoy.isInformed) {
      this.#silentSince = undefined;
      return false;
    }
    if (envoy.isConnected) {
      observer?.forgetConnections();
      return true;
    }
    this.#silentSince ??= Date.now();
    if (Date.now() - this.#silentSince >= SILENT_MS) warn(`Envoy serves nothing, because ${envoy.cure}`);
    return false;
  }

  async #serve(): Promise<void> {
    // A change of 10,000 hostports would have it keep 100 MiB, and takes as long without. Agents let it grow.
    const letGrow = limitYoungGeneration();
    this.#serving.begin(this.readAt === 0 ? undefined : this.parts.source.sequence);
    try {
      await this.#apply();
      this.#serving.succeed();
    } catch (error) {
      this.failures++;
      // Many edges that Envoy refuses must not make the gateway unready while it searches for them.
      this.#serving.fail(Date.now() + SERVE_AGAIN_MS, error instanceof Unfinished);
      this.parts.warn(messageOf(error));
    }
    letGrow();
  }

  async #apply(): Promise<void> {
    const { agents, envoy, recorder, observer } = this.parts;
    const started = Date.now();
    reach("begun");
    this.#ends.look(started);
    const entries = this.#entries;
    const objects = objectsOf(entries, started);
    agents?.sockets.declare(declaredBy(objects));
    // Before Envoy asks about them.
    await this.parts.webhooks.declare(objects);
    agents?.ssh.admitOnly(this.#agentsAdmitted(objects));
    const environment = await this.parts.environment.read(objects);
    reach("surroundings");
    const keep = () => this.#keepObjects(entries);
    const changed = await this.#synchroniser
      .apply(objects, environment, keep)
      .finally(() => this.#logEdges());
    recorder?.know(objects);
    observer?.know(objects, environment.certificates);
    if (!changed || !envoy.isInformed) return;
    this.#took = Date.now() - started;
    this.changes++;
  }

  /** Nobody, while a restriction cannot be read: that is no reason to serve nothing else. */
  #agentsAdmitted(objects: Objects): NetworkSet | undefined {
    try {
      return admittedTo("agent", objects);
    } catch (error) {
      this.parts.warn(`no agent is admitted, because of an IP restriction: ${messageOf(error)}`);
      return networkSet([]);
    }
  }

  #logEdges(): void {
    if (!this.parts.envoy.isInformed) return;
    const news = this.edges.filter(({ id, state, reason }) => this.#logged.get(id) !== `${state} ${reason}`);
    const names = news.length > 0 ? namesOf(this.#entries) : undefined;
    for (const { id, state, reason } of news)
      this.parts.log[reason === "" ? "info" : "warn"](
        { resource_name: names?.get(id), edge: id, reason: reason || undefined },
        `edge ${state}`,
      );
    this.#logged = new Map(this.edges.map(({ id, state, reason }) => [id, `${state} ${reason}`]));
  }

  #report(): void {
    if (!this.parts.envoy.isInformed) return;
    const sequence = this.#serving.sequence(this.parts.source.sequence);
    if (sequence === undefined) return;
    this.#reporter.offer({ sequence, edges: this.edges, agents: this.parts.agents?.ssh.agents ?? [] });
  }

  /** Tells the server that the agents leave, because the gateway stops; it would find out 90 s later. */
  async tellLeave(): Promise<void> {
    const { report, source, agents } = this.parts;
    const sequence = this.#serving.sequence(source.sequence);
    if (sequence === undefined || !agents) return;
    await report({ sequence, edges: this.edges, agents: [] }).catch(() => undefined);
  }
}

const cureOf = (error: unknown): string => {
  if (error instanceof AuthenticationError) return "; check TUNNELPLANE_API_KEY";
  return error instanceof PermissionError ? "; use the API key of a bot of role gateway" : "";
};
