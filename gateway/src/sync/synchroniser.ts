import { withId } from "../envoy/indexes";
import type { Configuration, EdgeState, Objects } from "../envoy/model";

export interface Engine {
  /** Whether it was there when it was told something last; otherwise nobody knows yet what it says. */
  readonly isTold: boolean;
  /** How to start it, for people. */
  readonly cure: string;
  isReady(): Promise<boolean>;
  push(configuration: Configuration): Promise<Refusal | undefined>;
  /** What it says against a configuration; it may serve what it takes. */
  complaint(configuration: Configuration): Promise<string | undefined>;
}

export interface Refusal {
  readonly reason: string;
  /** The clusters that it refused, by name, with what is wrong with each; empty where listeners were refused, or nobody knows. */
  readonly clusters: ReadonlyMap<string, string>;
}

/** With more, the gateway leaves everything as it was, and goes on from there with the next try: each costs Envoy's start. */
const MOST_CHECKS = 200;
/** Clusters first, and then listeners; once more, for what Envoy has lost in between. */
const MOST_ROUNDS = 4;
const BEHIND = "Envoy did not take the last change; what was declared before is served on";
const KEPT = "What was served before is served on";

/** An edge that Envoy refused. */
interface Refused {
  readonly reason: string;
  /** The configuration of this edge alone: as long as it stays the same, Envoy is not asked again. */
  readonly text: string;
}

type Make = (objects: Objects, leftOut: ReadonlyMap<string, string>) => Configuration;

interface Tools {
  /** Makes the configuration without some edges. */
  readonly make: (without: ReadonlyMap<string, string>) => Configuration;
  /** The configuration of an edge alone. */
  readonly alone: (id: string) => string;
}

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

  /** Returns whether something was changed. @throws where Envoy serves something else than was declared; `edges` say which */
  async apply(objects: Objects, make: Make): Promise<boolean> {
    const alone = (id: string) => textOf(make(only(objects, id), new Map()));
    for (const [id, { text }] of this.#leftOut) if (alone(id) !== text) this.#leftOut.delete(id);
    const configuration = make(objects, this.#reasons);
    this.renewAt = configuration.renewAt;
    if (textOf(configuration) === this.#served) return false;
    try {
      this.#keep(await this.#push(configuration, objects, make), alone);
    } catch (error) {
      this.#served = "";
      this.edges = make(objects, this.#reasons).edges.map((edge) =>
        edge.state === "applied" && this.#servedAlone(edge.id) !== alone(edge.id) ? { ...edge, state: "rejected", reason: BEHIND } : edge,
      );
      throw error;
    }
    return true;
  }

  #keep(configuration: Configuration, alone: (id: string) => string): void {
    this.edges = configuration.edges;
    const isTold = this.engine.isTold;
    const served = new Set(isTold ? configuration.edges.filter(({ state }) => state === "applied").map(({ id }) => id) : []);
    this.#servedAlone = (id) => (served.has(id) ? alone(id) : undefined);
    this.#served = isTold ? textOf(configuration) : "";
  }

  /** Returns what was pushed at last: the configuration without the edges that were found at fault. */
  async #push(whole: Configuration, objects: Objects, make: Make): Promise<Configuration> {
    const alone = (id: string) => make(only(objects, id), new Map());
    let configuration = whole;
    this.#checks = 0;
    let refused = await this.engine.push(configuration);
    for (let round = 1; refused !== undefined; round++) {
      const known = this.#leftOut.size;
      const edges = configuration.edges.filter(({ state }) => state === "applied").map(({ id }) => id);
      if (refused.clusters.size > 0) for (const id of edges) this.#leaveOutUserOf(refused.clusters, id, alone(id));
      else {
        const suspects = edges.filter((id) => this.#servedAlone(id) !== textOf(alone(id)));
        await this.#find(suspects, new Set(suspects), {
          make: (without) => make(objects, new Map([...this.#reasons, ...without])),
          alone: (id) => textOf(alone(id)),
        });
      }
      const isStuck = this.#leftOut.size === known && refused.clusters.size === 0;
      if (isStuck || round === MOST_ROUNDS) throw new Error(`${refused.reason}. ${KEPT}; ${this.#leftOut.size} edges were found at fault`);
      configuration = make(objects, this.#reasons);
      refused = await this.engine.push(configuration);
    }
    return configuration;
  }

  get #reasons(): ReadonlyMap<string, string> {
    return new Map([...this.#leftOut].map(([id, { reason }]) => [id, reason]));
  }

  #leaveOut(id: string, reason: string, text: string): void {
    this.#leftOut.set(id, { reason: `Envoy refuses it: ${reason}`, text });
  }

  /** Leaves an edge out if it sends to one of these clusters. */
  #leaveOutUserOf(clusters: ReadonlyMap<string, string>, id: string, alone: Configuration): void {
    for (const { name } of alone.clusters) {
      const reason = clusters.get(String(name));
      if (reason !== undefined) this.#leaveOut(id, `of ${name} it says: ${reason}`, textOf(alone));
    }
  }

  /**
   * Halves what is refused until single edges are left, and leaves those out. It adds to what is good, because Envoy may
   * serve what it is asked about.
   * @param without what is not known to be good
   */
  async #find(ids: readonly string[], without: Set<string>, tools: Tools): Promise<void> {
    if (ids.length === 0) return;
    if (++this.#checks > MOST_CHECKS)
      throw new Error(
        `Envoy refused the configuration, and ${MOST_CHECKS} checks did not find all edges at fault: the next try looks for the others. ${KEPT}`,
      );
    for (const id of ids) without.delete(id);
    const complaint = await this.engine.complaint(tools.make(new Map([...without].map((id) => [id, "Envoy is being asked about it"]))));
    if (complaint === undefined) return;
    for (const id of ids) without.add(id);
    const [first = "", ...others] = ids;
    if (others.length === 0) return this.#leaveOut(first, complaint, tools.alone(first));
    const middle = Math.ceil(ids.length / 2);
    await this.#find(ids.slice(0, middle), without, tools);
    await this.#find(ids.slice(middle), without, tools);
  }
}

const textOf = (configuration: Configuration): string => JSON.stringify({ ...configuration, renewAt: undefined });

function only(objects: Objects, id: string): Objects {
  const among = <T extends { id: string }>(edges: readonly T[]) => [withId(edges, id) ?? []].flat();
  return { ...objects, tls_edge: among(objects.tls_edge), https_edge: among(objects.https_edge) };
}
