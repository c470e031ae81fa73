import { present } from "@tunnelplane/sdk/contract";
import type { Configuration, EdgeState, Objects } from "../envoy/model";

export interface Engine {
  push(configuration: Configuration): Promise<string | undefined>;
  /** What it says against a configuration, without serving it. */
  complaint(configuration: Configuration): Promise<string | undefined>;
}

/** With more, the gateway gives up and leaves everything as it was: each costs Envoy's start. */
const MOST_CHECKS = 200;

/** Has Envoy serve what is declared. An edge that Envoy refuses is found and left out; the others go on. */
export class Synchroniser {
  #served = "";
  #leftOut = new Map<string, string>();
  #checks = 0;
  edges: readonly EdgeState[] = [];
  /** When it has to be computed again though nothing changed, in milliseconds. */
  renewAt: number | undefined;

  /** @param make translates, without the edges that are left out */
  constructor(private readonly engine: Engine) {}

  /** Returns whether something was changed. */
  async apply(objects: Objects, make: (objects: Objects, leftOut: ReadonlyMap<string, string>) => Configuration): Promise<boolean> {
    const declared = make(objects, new Map());
    this.renewAt = declared.renewAt;
    const text = JSON.stringify({ ...declared, renewAt: undefined });
    if (text === this.#served) return false;
    this.#leftOut = new Map();
    let configuration = declared;
    let refused = await this.engine.push(configuration);
    if (refused !== undefined) {
      this.#checks = 0;
      const ids = declared.edges.filter(({ state }) => state === "applied").map(({ id }) => id);
      await this.#find(ids, (some) => make(only(objects, some), new Map()));
      configuration = make(objects, this.#leftOut);
      refused = await this.engine.push(configuration);
      if (refused !== undefined)
        throw new Error(`${refused}. What was served before is served on; ${this.#leftOut.size} edges were found at fault`);
    }
    this.edges = configuration.edges;
    this.#served = text;
    return true;
  }

  /** Halves what is refused until single edges are left. */
  async #find(ids: readonly string[], make: (ids: readonly string[]) => Configuration): Promise<void> {
    if (ids.length === 0) return;
    if (++this.#checks > MOST_CHECKS)
      throw new Error(
        `Envoy refused the configuration, and ${MOST_CHECKS} checks did not find all edges at fault. What was served before is served on`,
      );
    const complaint = await this.engine.complaint(make(ids));
    if (complaint === undefined) return;
    if (ids.length === 1) {
      this.#leftOut.set(present(ids[0]), `Envoy refuses it: ${complaint}`);
      return;
    }
    const middle = Math.ceil(ids.length / 2);
    await this.#find(ids.slice(0, middle), make);
    await this.#find(ids.slice(middle), make);
  }
}

const only = (objects: Objects, ids: readonly string[]): Objects => {
  const wanted = new Set(ids);
  const among = <T extends { id: string }>(edges: readonly T[]) => edges.filter(({ id }) => wanted.has(id));
  return { ...objects, tls_edge: among(objects.tls_edge), https_edge: among(objects.https_edge) };
};
