import { messageOf } from "@tunnelplane/sdk/contract";
import { withId } from "../envoy/indexes";
import type { Configuration, EdgeState, Objects } from "../envoy/model";

export interface Engine {
  /** Whether Envoy was running when it got the newest configuration. If not, it needs that again. */
  readonly isInformed: boolean;
  /** How to start it, for people. */
  readonly cure: string;
  isReady(): Promise<boolean>;
  /** Hands over a configuration. If Envoy does not take it, Envoy goes on serving the one before. */
  push(configuration: Configuration): Promise<Refusal | undefined>;
  /** Has an Envoy that serves nothing check a configuration. */
  readonly validate?: Ask;
}

type Ask = (configuration: Configuration) => Promise<string | undefined>;

export interface Refusal {
  readonly reason: string;
  /** The clusters that are at fault, by name, each with its mistake; empty if that is not known. */
  readonly clusters: ReadonlyMap<string, string>;
  /** Whether Envoy said nothing at all, which may have other causes than the configuration. */
  readonly isSilent: boolean;
}

/** Some edges at fault were found, and the next try searches on. */
export class Unfinished extends Error {}

/** Checks of one try; the next try continues. Each check starts an Envoy. */
const MAX_CHECKS = 200;
/** A round for clusters and one for listeners; the same again if Envoy has lost something in between. */
const MAX_ROUNDS = 4;
const BEHIND = "Envoy did not take the last change; it goes on serving the configuration before";
const KEPT = "Envoy goes on serving the configuration before";

/** An edge that Envoy refused. */
interface Refused {
  readonly reason: string;
  /** The configuration of this edge alone: as long as it stays the same, Envoy is not asked again. */
  readonly text: string;
  /** Whether Envoy also refuses it alone. If not, it may be innocent, and is tried with the next change. */
  readonly isProven: boolean;
}

/** How many of the edges that were left out are tried again with a change: each may need a search. */
const MAX_TRIED_AGAIN = 16;

type Make = (objects: Objects, leftOut: ReadonlyMap<string, string>) => Configuration;

interface Search {
  readonly ask: Ask;
  /** Makes the configuration without some edges. */
  readonly make: (without: ReadonlyMap<string, string>) => Configuration;
  /** The configuration of an edge alone. */
  readonly alone: (id: string) => Configuration;
  /** Edges that are not known to be good. */
  readonly without: Set<string>;
  /** Whether all others are known to be. */
  isGood: boolean;
}

/** Envoy refuses the configuration even without all of those edges. */
class NoneOfThem extends Error {}

/**
 * Has Envoy serve the declared objects. It finds an edge that Envoy refuses and leaves it out; the others are
 * served.
 */
export class Synchroniser {
  #served = "";
  /** The configuration of an edge alone when it was last served; undefined if it never was. */
  #servedAlone: (id: string) => string | undefined = () => undefined;
  readonly #leftOut = new Map<string, Refused>();
  #checks = 0;
  edges: readonly EdgeState[] = [];
  /** When to translate again though nothing changed, in milliseconds. */
  renewAt: number | undefined;

  /** @param make translates, without the edges that are left out */
  constructor(private readonly engine: Engine) {}

  /** Returns whether anything changed. @throws if Envoy did not take everything; `edges` says which edges */
  async apply(objects: Objects, make: Make): Promise<boolean> {
    const alone = (id: string) => textOf(make(only(objects, id), new Map()));
    for (const [id, { text }] of this.#leftOut) if (alone(id) !== text) this.#leftOut.delete(id);
    let configuration = make(objects, this.#reasons);
    this.renewAt = configuration.renewAt;
    if (textOf(configuration) === this.#served && this.engine.isInformed) return false;
    if (this.#served !== "" && this.#forgetUnproven()) configuration = make(objects, this.#reasons);
    const known = this.#leftOut.size;
    try {
      this.#keep(await this.#push(configuration, objects, make), alone);
    } catch (error) {
      this.#served = "";
      this.edges = make(objects, this.#reasons).edges.map((edge) =>
        edge.state === "applied" && this.#servedAlone(edge.id) !== alone(edge.id)
          ? { ...edge, state: "rejected", reason: BEHIND }
          : edge,
      );
      throw this.#leftOut.size > known ? new Unfinished(messageOf(error)) : error;
    }
    return true;
  }

  /** Those tried longest ago come first: one that is left out again goes to the end. */
  #forgetUnproven(): boolean {
    const again = [...this.#leftOut].filter(([, { isProven }]) => !isProven).slice(0, MAX_TRIED_AGAIN);
    return again.map(([id]) => this.#leftOut.delete(id)).length > 0;
  }

  #keep(configuration: Configuration, alone: (id: string) => string): void {
    const isInformed = this.engine.isInformed;
    this.edges = isInformed ? configuration.edges : [];
    const served = new Set(
      isInformed ? configuration.edges.map(({ id }) => id).filter((id) => !this.#leftOut.has(id)) : [],
    );
    this.#servedAlone = (id) => (served.has(id) ? alone(id) : undefined);
    this.#served = isInformed ? textOf(configuration) : "";
  }

  /** Returns the configuration that Envoy took: the one without the edges that were found at fault. */
  async #push(whole: Configuration, objects: Objects, make: Make): Promise<Configuration> {
    const alone = (id: string) => make(only(objects, id), new Map());
    let configuration = whole;
    this.#checks = 0;
    let refused = await this.engine.push(configuration);
    for (let round = 1; refused !== undefined; round++) {
      const known = this.#leftOut.size;
      // Includes edges that are rejected: some of their hostports and routes may be served.
      const edges = configuration.edges.map(({ id }) => id).filter((id) => !this.#leftOut.has(id));
      if (refused.clusters.size > 0)
        for (const id of edges) this.#leaveOutUserOf(refused.clusters, id, alone(id));
      else
        await this.#search(edges, refused, {
          make: (without) => make(objects, new Map([...this.#reasons, ...without])),
          alone,
        });
      const isStuck = this.#leftOut.size === known && refused.clusters.size === 0;
      if (isStuck || round === MAX_ROUNDS)
        throw new Error(`${refused.reason}. ${KEPT}; ${this.#leftOut.size} edges were found at fault`);
      configuration = make(objects, this.#reasons);
      refused = await this.engine.push(configuration);
    }
    return configuration;
  }

  /**
   * Searches among changed edges first. Asks the serving Envoy last, because it serves what it is asked
   * about.
   */
  async #search(
    edges: readonly string[],
    { isSilent }: Refusal,
    tools: Pick<Search, "make" | "alone">,
  ): Promise<void> {
    const { validate } = this.engine;
    const changed = edges.filter((id) => this.#servedAlone(id) !== textOf(tools.alone(id)));
    const known = this.#leftOut.size;
    const look = async (among: readonly string[], ask: Ask | undefined) => {
      if (!ask || this.#leftOut.size > known) return;
      await this.#find(among, { ...tools, ask, without: new Set(among), isGood: false }).catch((error) => {
        if (!(error instanceof NoneOfThem)) throw error;
      });
    };
    await look(changed, validate);
    if (changed.length < edges.length) await look(edges, validate);
    if (!isSilent) await look(changed, this.#askItself);
  }

  readonly #askItself: Ask = async (configuration) => {
    const refused = await this.engine.push(configuration);
    if (refused?.isSilent || !this.engine.isInformed)
      throw new Error(`${refused?.reason ?? "Envoy is gone"}. ${KEPT}`);
    return refused?.reason;
  };

  get #reasons(): ReadonlyMap<string, string> {
    return new Map([...this.#leftOut].map(([id, { reason }]) => [id, reason]));
  }

  #leaveOut(id: string, reason: string, alone: Configuration, isProven: boolean): void {
    this.#leftOut.set(id, { reason: `Envoy refuses it: ${reason}`, text: textOf(alone), isProven });
  }

  /** Leaves an edge out if it sends to one of these clusters. */
  #leaveOutUserOf(clusters: ReadonlyMap<string, string>, id: string, alone: Configuration): void {
    for (const { name } of alone.clusters) {
      const reason = clusters.get(String(name));
      if (reason !== undefined) this.#leaveOut(id, `of ${name} it says: ${reason}`, alone, true);
    }
  }

  /**
   * Halves the edges that Envoy refuses, down to single ones. An edge is at fault only if Envoy takes the
   * rest.
   */
  async #find(ids: readonly string[], search: Search): Promise<void> {
    const { without } = search;
    if (ids.length === 0) return;
    for (const id of ids) without.delete(id);
    const fault = await this.#ask(search);
    if (fault === undefined) {
      search.isGood = true;
      return;
    }
    for (const id of ids) without.add(id);
    const [first = "", ...others] = ids;
    if (others.length === 0) {
      if (!search.isGood && (await this.#ask(search)) !== undefined) throw new NoneOfThem();
      search.isGood = true;
      const alone = search.alone(first);
      // The Envoy that serves would then serve this edge and nothing else.
      const isProven = search.ask !== this.#askItself && (await search.ask(alone)) !== undefined;
      return this.#leaveOut(first, fault, alone, isProven);
    }
    const middle = Math.ceil(ids.length / 2);
    await this.#find(ids.slice(0, middle), search);
    await this.#find(ids.slice(middle), search);
  }

  #ask({ ask, make, without }: Search): Promise<string | undefined> {
    if (++this.#checks > MAX_CHECKS)
      throw new Error(
        `Envoy refused the configuration, and ${MAX_CHECKS} checks did not find all edges at fault: the next try looks for the others. ${KEPT}`,
      );
    return ask(make(new Map([...without].map((id) => [id, "Envoy is being asked about it"]))));
  }
}

const textOf = (configuration: Configuration): string =>
  JSON.stringify({ ...configuration, renewAt: undefined });

function only(objects: Objects, id: string): Objects {
  const among = <T extends { id: string }>(edges: readonly T[]) => [withId(edges, id) ?? []].flat();
  return {
    ...objects,
    tls_edge: among(objects.tls_edge),
    tcp_edge: among(objects.tcp_edge),
    https_edge: among(objects.https_edge),
  };
}
