import { present } from "@tunnelplane/sdk/contract";
import { withId } from "../envoy/indexes";
import type { Configuration, EdgeState, Objects } from "../envoy/model";

export interface Engine {
  /** Whether it was there when it was told something last; otherwise nobody knows yet what it says. */
  readonly isTold: boolean;
  /** How to start it, for people. */
  readonly cure: string;
  isReady(): Promise<boolean>;
  push(configuration: Configuration): Promise<string | undefined>;
  /** What it says against a configuration; it may serve what it takes. */
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

type Make = (objects: Objects, leftOut: ReadonlyMap<string, string>) => Configuration;

/** Has Envoy serve what is declared. An edge that Envoy refuses is found and left out; the others go on. */
export class Synchroniser {
  #served = "";
  /** The configuration of an edge alone when it was served last; undefined where it was not. */
  #servedAlone: (id: string) => string | undefined = () => undefined;
  readonly #leftOut = new Map<string, Refused>();
  #checks = 0;
  edges: readonly EdgeState[] = [];
  /** When it has to be computed again though nothing changed, in milliseconds. */
  renewAt: number | undefined;

  /** @param make translates, without the edges that are left out */
  constructor(private readonly engine: Engine) {}

  /** Returns whether something was changed. */
  async apply(objects: Objects, make: Make): Promise<boolean> {
    const alone = (id: string) => textOf(make(only(objects, id), new Map()));
    for (const [id, { text }] of this.#leftOut) if (alone(id) !== text) this.#leftOut.delete(id);
    let configuration = make(objects, this.#reasons);
    this.renewAt = configuration.renewAt;
    let text = textOf(configuration);
    if (text === this.#served) return false;
    let refused = await this.engine.push(configuration);
    if (refused !== undefined) {
      this.#checks = 0;
      const suspects = configuration.edges
        .filter(({ id, state }) => state === "applied" && this.#servedAlone(id) !== alone(id))
        .map(({ id }) => id);
      const found = await this.#find(suspects, new Set(suspects), (without) =>
        make(objects, new Map([...this.#reasons, ...[...without].map((id) => [id, "Envoy is being asked about it"] as const)])),
      );
      for (const [id, reason] of found) this.#leftOut.set(id, { reason: `Envoy refuses it: ${reason}`, text: alone(id) });
      configuration = make(objects, this.#reasons);
      text = textOf(configuration);
      refused = await this.engine.push(configuration);
      if (refused !== undefined)
        throw new Error(`${refused}. What was served before is served on; ${this.#leftOut.size} edges were found at fault`);
    }
    this.edges = configuration.edges;
    const isTold = this.engine.isTold;
    const served = new Set(isTold ? configuration.edges.filter(({ state }) => state === "applied").map(({ id }) => id) : []);
    this.#servedAlone = (id) => (served.has(id) ? alone(id) : undefined);
    this.#served = isTold ? text : "";
    return true;
  }

  get #reasons(): ReadonlyMap<string, string> {
    return new Map([...this.#leftOut].map(([id, { reason }]) => [id, reason]));
  }

  /**
   * Halves what is refused until single edges are left; tells what is wrong with each. It adds to what is good, because Envoy
   * may serve what it is asked about.
   * @param without what is not known to be good
   */
  async #find(
    ids: readonly string[],
    without: Set<string>,
    make: (without: ReadonlySet<string>) => Configuration,
  ): Promise<[string, string][]> {
    if (ids.length === 0) return [];
    if (++this.#checks > MOST_CHECKS)
      throw new Error(
        `Envoy refused the configuration, and ${MOST_CHECKS} checks did not find all edges at fault. What was served before is served on`,
      );
    for (const id of ids) without.delete(id);
    const complaint = await this.engine.complaint(make(without));
    if (complaint === undefined) return [];
    for (const id of ids) without.add(id);
    if (ids.length === 1) return [[present(ids[0]), complaint]];
    const middle = Math.ceil(ids.length / 2);
    return [...(await this.#find(ids.slice(0, middle), without, make)), ...(await this.#find(ids.slice(middle), without, make))];
  }
}

const textOf = (configuration: Configuration): string => JSON.stringify({ ...configuration, renewAt: undefined });

function only(objects: Objects, id: string): Objects {
  const among = <T extends { id: string }>(edges: readonly T[]) => [withId(edges, id) ?? []].flat();
  return { ...objects, tls_edge: among(objects.tls_edge), https_edge: among(objects.https_edge) };
}
