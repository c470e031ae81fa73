import { setTimeout as sleep } from "node:timers/promises";
import { AuthenticationError, type GatewayReport, PermissionError } from "@tunnelplane/sdk";
import type { Logger } from "pino";
import { declaredBy } from "./agents/declared";
import type { HostKeys } from "./agents/hostKeys";
import type { ServerAuthority } from "./agents/serverAuthority";
import type { AgentSockets } from "./agents/sockets";
import type { SshServer } from "./agents/sshServer";
import { type EdgeState, objectsOf } from "./envoy/model";
import { translate } from "./envoy/translate";
import { writeWhole } from "./files";
import { fitting } from "./report";
import type { Entry, News, Source } from "./source";
import type { Machine } from "./surroundings";
import { type Engine, Synchroniser, Unfinished } from "./sync/synchroniser";

/** Authenticates agents. */
export interface Agents {
  readonly authority: ServerAuthority;
  readonly hostKeys: HostKeys;
  readonly sockets: AgentSockets;
  readonly ssh: SshServer;
}

interface Parts {
  readonly agents?: Agents;
  readonly source: Source;
  readonly machine: Machine;
  readonly envoy: Engine;
  readonly log: Logger;
  readonly complain: (message: string) => void;
  /** Where the objects that were read last are kept. */
  readonly lastState: string;
  /** Tells the server what is served. */
  readonly report: (what: Omit<GatewayReport, "version" | "envoy_version">) => Promise<void>;
}

const TICK_MS = 1000;
const AGAIN_MS = 1000;
/** After a configuration that failed: each try may cost Envoy's start for many edges. */
const SERVE_AGAIN_MS = 5000;
const REPORT_EVERY_MS = 30_000;
/** An Envoy beside the gateway may start a little later. */
const SILENT_MS = 10_000;
/**
 * So much of the time that Envoy took for the last change is waited for more changes: one is rarely alone.
 */
const GATHERING = 1 / 10;
/** However often something changes, or a report fails. */
const REPORT_AGAIN_MS = 1000;

/** Follows a server: takes what is new, translates, has it served, and reports what became of it. */
export class Gateway {
  readonly #synchroniser: Synchroniser;
  #entries: readonly Entry[] | undefined;
  /** Objects changed since they were served. */
  #isBehind = false;
  #serveAt = 0;
  /** Since when Envoy has been waited for, in milliseconds. */
  #waitedSince = 0;
  /** How long the last change took to be served, in milliseconds. */
  #took = 0;
  #reported = { text: "", at: 0 };
  /** What was logged of each edge. */
  #logged: ReadonlyMap<string, string> = new Map();
  /** The last event of which everything was served, or tried in vain. */
  #sequence: number | undefined;
  #isReporting = false;
  #isServing = false;
  #wake: () => void = () => undefined;
  /** When the server last answered, in milliseconds; 0 for never. */
  readAt = 0;
  /** Whether Envoy was handed something in this run, be it what was read in the last one. */
  serving = false;
  /** Whether the last try to serve what is declared went well. */
  #isTaken = false;
  changes = 0;
  failures = 0;

  constructor(private readonly parts: Parts) {
    this.#synchroniser = new Synchroniser(parts.envoy);
  }

  /** None while Envoy was told nothing: nobody knows then what is served. */
  get edges(): readonly EdgeState[] {
    return this.parts.envoy.isTold ? this.#synchroniser.edges : [];
  }

  /**
   * Whether Envoy took the newest configuration. Edges and routes that were left out of it by name do not
   * count.
   */
  get isTaken(): boolean {
    return this.#isTaken && this.parts.envoy.isTold;
  }

  /** How many agents serve something. */
  get agents(): number {
    return this.parts.agents?.ssh.agents.length ?? 0;
  }

  /** @param last what was read in the last run, as it was kept */
  async run(signal: AbortSignal, last: string | undefined): Promise<void> {
    if (last !== undefined) await this.#resume(last);
    signal.addEventListener("abort", () => this.#wake());
    const following = this.#follow(signal);
    // Apart from serving, which may take minutes: the server must hear meanwhile that the gateway is alive.
    const reporting = setInterval(() => this.#report(), TICK_MS);
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#isDue() || (await this.#isEnvoyNew())) await this.#tryToServe();
      this.#report();
      const tick = new AbortController();
      const next = this.#isBehind ? Math.min(Math.max(this.#serveAt - Date.now(), 0), TICK_MS) : TICK_MS;
      await Promise.race([woken, sleep(next, undefined, { signal: tick.signal }).catch(() => undefined)]);
      tick.abort();
    }
    clearInterval(reporting);
    await following;
  }

  async #resume(last: string): Promise<void> {
    try {
      this.#entries = JSON.parse(last) as Entry[];
    } catch (error) {
      return this.parts.complain(`the last state could not be read: ${(error as Error).message}`);
    }
    await this.#tryToServe();
    if (this.isTaken) this.parts.log.info("serving what was declared when the server was last read");
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { source, complain, log } = this.parts;
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
        complain(
          `the server could not be read: ${(error as Error).message}${cureOf(error)}. What was declared before is served on`,
        );
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #take({ objects, credentials, hostCertificates }: News): Promise<void> {
    const { source, agents, lastState } = this.parts;
    if (objects) {
      this.#entries = source.entries;
      const soon = Date.now() + this.#took * GATHERING;
      this.#serveAt = this.#isBehind ? Math.min(this.#serveAt, soon) : soon;
      this.#isBehind = true;
      this.#wake();
      writeWhole(lastState, JSON.stringify(this.#entries));
    }
    if (!agents) return;
    if (hostCertificates) await agents.hostKeys.refresh();
    if (credentials === "all" || credentials.size > 0) {
      agents.authority.forget(credentials);
      await agents.ssh.review(credentials);
    }
    agents.authority.confirm(new Set(agents.ssh.agents.map(({ credential }) => credential)));
  }

  #isDue(): boolean {
    const now = Date.now();
    return (
      this.#entries !== undefined &&
      now >= this.#serveAt &&
      (this.#isBehind || this.parts.machine.isChanged(now))
    );
  }

  /**
   * Whether it came after what it was to serve was written, so that it has to be asked what it thinks of
   * that.
   */
  async #isEnvoyNew(): Promise<boolean> {
    const { envoy, complain } = this.parts;
    if (!this.serving || envoy.isTold) {
      this.#waitedSince = 0;
      return false;
    }
    if (await envoy.isReady()) return true;
    this.#waitedSince ||= Date.now();
    if (Date.now() - this.#waitedSince >= SILENT_MS) complain(`Envoy serves nothing, because ${envoy.cure}`);
    return false;
  }

  async #tryToServe(): Promise<void> {
    const sequence = this.readAt === 0 ? undefined : this.parts.source.sequence;
    this.#isServing = true;
    try {
      await this.#serve();
      this.#isTaken = true;
    } catch (error) {
      this.failures++;
      // Whoever has many edges that Envoy refuses must not make the gateway unready while they are looked
      // for.
      this.#isTaken &&= error instanceof Unfinished;
      this.#isBehind = true;
      this.#serveAt = Date.now() + SERVE_AGAIN_MS;
      this.parts.complain((error as Error).message);
    } finally {
      this.#isServing = false;
      this.#sequence = sequence;
    }
  }

  async #serve(): Promise<void> {
    const { machine, agents } = this.parts;
    const started = Date.now();
    this.#isBehind = false;
    const objects = objectsOf(this.#entries ?? []);
    agents?.sockets.declare(declaredBy(objects));
    const surroundings = await machine.surroundings(objects);
    const changed = await this.#synchroniser
      .apply(objects, (some, leftOut) => translate(some, surroundings, leftOut))
      .finally(() => this.#logEdges());
    machine.renewAt = this.#synchroniser.renewAt;
    this.serving = true;
    if (!changed || !this.parts.envoy.isTold) return;
    this.#took = Date.now() - started;
    this.changes++;
  }

  #logEdges(): void {
    if (!this.parts.envoy.isTold) return;
    for (const { id, state, reason } of this.edges)
      if (this.#logged.get(id) !== `${state} ${reason}`)
        this.parts.log[state === "applied" ? "info" : "warn"](
          { edge: id, reason: reason || undefined },
          `edge ${state}`,
        );
    this.#logged = new Map(this.edges.map(({ id, state, reason }) => [id, `${state} ${reason}`]));
  }

  /** Tells the server what changed here, and that the gateway is alive. */
  #report(): void {
    const { source, agents, complain, report } = this.parts;
    if (this.#sequence === undefined || this.#isReporting || !this.parts.envoy.isTold) return;
    if (!this.#isBehind && !this.#isServing) this.#sequence = source.sequence;
    const what = { sequence: this.#sequence, edges: this.edges, agents: agents?.ssh.agents ?? [] };
    const text = JSON.stringify(what);
    const now = Date.now();
    const waited = now - this.#reported.at;
    if (waited < (text === this.#reported.text ? REPORT_EVERY_MS : REPORT_AGAIN_MS)) return;
    this.#isReporting = true;
    this.#reported = { text, at: now };
    report(fitting(what))
      .catch((error: Error) => {
        this.#reported.text = "";
        complain(`the server could not be told what is served: ${error.message}`);
      })
      .finally(() => {
        this.#isReporting = false;
      });
  }
}

const cureOf = (error: unknown): string => {
  if (error instanceof AuthenticationError) return "; check TUNNELPLANE_API_KEY";
  return error instanceof PermissionError ? "; use the API key of a bot of role gateway" : "";
};
