import { messageOf } from "@tunnelplane/sdk/contract";
import type { Logger } from "pino";
import { declaredBy } from "./agents/declared";
import type { KeysAuthority } from "./agents/keysAuthority";
import type { AgentSockets } from "./agents/sockets";
import type { SshServer } from "./agents/sshServer";
import { type EdgeState, objectsOf } from "./envoy/model";
import { translate } from "./envoy/translate";
import { writeWhole } from "./files";
import type { Entry, Source } from "./source";
import type { Machine } from "./surroundings";
import { type Engine, Synchroniser } from "./sync/synchroniser";

/** Authenticates agents. */
export interface Agents {
  readonly authority: KeysAuthority;
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
}

/** Follows a server: reads, translates, has it served, again and again. */
export class Gateway {
  readonly #synchroniser: Synchroniser;
  #objects: readonly Entry[] | undefined;
  /** When the server was last read, in milliseconds; 0 for never. */
  readAt = 0;
  /** Whether something is served, be it of the last run. */
  serving = false;
  changes = 0;
  failures = 0;

  constructor(private readonly parts: Parts) {
    this.#synchroniser = new Synchroniser(parts.envoy);
  }

  get edges(): readonly EdgeState[] {
    return this.#synchroniser.edges;
  }

  /** @param last what was read in the last run, as it was kept */
  async run(signal: AbortSignal, last: string | undefined): Promise<void> {
    const { source, log, complain, lastState, agents } = this.parts;
    if (last !== undefined) {
      try {
        this.#objects = JSON.parse(last) as Entry[];
        await this.#serve();
        log.info("serving what was declared when the server was last read");
      } catch (error) {
        complain(`the last state could not be served: ${messageOf(error)}`);
      }
    }
    let kept = last;
    while (!signal.aborted) {
      try {
        this.#objects = await source.read();
        this.readAt = Date.now();
        const text = JSON.stringify(this.#objects);
        if (agents) agents.authority.replace(await source.keys());
        if (text !== kept) writeWhole(lastState, text);
        kept = text;
      } catch (error) {
        this.failures++;
        complain(`the server could not be read: ${messageOf(error)}. What was declared before is served on`);
      }
      await this.#serve().catch((error: Error) => {
        this.failures++;
        complain(error.message);
      });
      await agents?.ssh.review();
      await source.changed(signal);
    }
  }

  async #serve(): Promise<void> {
    if (!this.#objects) return;
    const { machine, log } = this.parts;
    const objects = objectsOf(this.#objects);
    this.parts.agents?.sockets.declare(declaredBy(objects));
    const surroundings = await machine.surroundings(objects);
    const before = new Map(this.edges.map(({ id, state, reason }) => [id, `${state} ${reason}`]));
    const changed = await this.#synchroniser.apply(objects, (some, leftOut) => translate(some, surroundings, leftOut));
    this.serving = true;
    if (!changed) return;
    this.changes++;
    for (const { id, state, reason } of this.edges)
      if (before.get(id) !== `${state} ${reason}`)
        log[state === "applied" ? "info" : "warn"]({ edge: id, reason: reason || undefined }, `edge ${state}`);
  }
}
