import { present } from "@tunnelplane/sdk/contract";
import type { Configuration, EdgeState, Objects } from "../envoy/model";

export interface Engine {
  push(configuration: Configuration): Promise<string | undefined>;
  /** What it says against a configuration, without serving it. */
  complaint(configuration: Configuration): Promise<string | undefined>;
}

/** With more, the gateway gives up and leaves everything as it was: each costs Envoy's start. */
const MOST_CHECKS = 200;

/** An edge that Envoy refused. */
interface Refused {
  readonly reason: string;
  /** The configuration of this edge alone: as long as it stays the same, Envoy is not asked again. */
  readonly text: string;
}

/** Has Envoy serve what is declared. An edge that Envoy refuses is found and left out; the others go on. */
export class Synchroniser {
  #served = "";
  readonly #leftOut = new Map<string, Refused>();
  #checks = 0;
  edges: readonly EdgeState[] = [];
  /** When it has to be computed again though nothing changed, in milliseconds. */
  renewAt: number | undefined;

  /** @param make translates, without the edges that are left out */
  constructor(private readonly engine: Engine) {}

  /** Returns whether something was changed. */
  async apply(objects: Objects, make: (objects: Objects, leftOut: ReadonlyMap<string, string>) => Configuration): Promise<boolean> {
    const alone = (ids: readonly string[]) => make(only(objects, ids), new Map());
    for (const [id, { text }] of this.#leftOut) if (textOf(alone([id])) !== text) this.#leftOut.delete(id);
    let configuration = make(objects, this.#reasons);
    this.renewAt = configuration.renewAt;
    let text = textOf(configuration);
    if (text === this.#served) return false;
    let refused = await this.engine.push(configuration);
    if (refused !== undefined) {
      this.#checks = 0;
      const ids = configuration.edges.filter(({ state }) => state === "applied").map(({ id }) => id);
      await this.#find(ids, alone);
      configuration = make(objects, this.#reasons);
      text = textOf(configuration);
      refused = await this.engine.push(configuration);
      if (refused !== undefined)
        throw new Error(`${refused}. What was served before is served on; ${this.#leftOut.size} edges were found at fault`);
    }
    this.edges = configuration.edges;
    this.#served = text;
    return true;
  }

  get #reasons(): ReadonlyMap<string, string> {
    return new Map([...this.#leftOut].map(([id, { reason }]) => [id, reason]));
  }

  /** Halves what is refused until single edges are left. */
  async #find(ids: readonly string[], make: (ids: readonly string[]) => Configuration): Promise<void> {
    if (ids.length === 0) return;
    if (++this.#checks > MOST_CHECKS)
      throw new Error(
        `Envoy refused the configuration, and ${MOST_CHECKS} checks did not find all edges at fault. What was served before is served on`,
      );
    const some = make(ids);
    const complaint = await this.engine.complaint(some);
    if (complaint === undefined) return;
    if (ids.length === 1) {
      this.#leftOut.set(present(ids[0]), { reason: `Envoy refuses it: ${complaint}`, text: textOf(some) });
      return;
    }
    const middle = Math.ceil(ids.length / 2);
    await this.#find(ids.slice(0, middle), make);
    await this.#find(ids.slice(middle), make);
  }
}

const textOf = (configuration: Configuration): string => JSON.stringify({ ...configuration, renewAt: undefined });

const only = (objects: Objects, ids: readonly string[]): Objects => {
  const wanted = new Set(ids);
  const among = <T extends { id: string }>(edges: readonly T[]) => edges.filter(({ id }) => wanted.has(id));
  return { ...objects, tls_edge: among(objects.tls_edge), https_edge: among(objects.https_edge) };
};
