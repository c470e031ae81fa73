import { messageOf } from "@tunnelplane/sdk/contract";
import type { Refused } from "../ads/server";
import { KeptParts } from "../envoy/kept";
import type { Configuration, EdgeState, Environment, Objects } from "../envoy/model";
import type { Part } from "../envoy/part";
import { PROBE } from "../envoy/static";
import { assemble } from "../envoy/translate";
import { reach } from "../steps";
import { causeIn } from "./envoyProgram";
import type { Marks, Moment } from "./marks";
import { askedIn, worldOf } from "./world";

export interface Engine {
  /**
   * Whether the Envoy that is connected has answered the newest configuration. If not, it needs that
   * again.
   */
  readonly isInformed: boolean;
  readonly isConnected: boolean;
  /** How to start it, for people. */
  readonly cure: string;
  /**
   * Hands over a configuration. Returns what Envoy refused: it then goes on serving what it had before.
   * @throws if Envoy does not answer
   */
  push(configuration: Configuration): Promise<readonly Refused[]>;
  /** Asks Envoy about the chains of edges, one by one. Returns why it refuses some, by the edge's id. */
  probe(parts: readonly Part[]): Promise<ReadonlyMap<string, string>>;
}

/** Some edges at fault were found, and others may be left. */
export class Unfinished extends Error {}

/** In each, Envoy names all that it refuses of one kind. */
const MAX_ROUNDS = 8;
const BEHIND = "Envoy did not take the last change; it goes on serving the configuration before";
const KEPT = "Envoy goes on serving the configuration before";

/** An edge that Envoy refused. As long as its part stays the same, Envoy is not asked again. */
interface LeftOut {
  readonly reason: string;
  readonly part: Part;
}

/**
 * Has Envoy serve the declared objects. An edge that it refuses is left out by name; the others are served.
 * docs/architecture/gateway.md has a picture of an edge's states.
 */
export class Synchroniser {
  /** The parts that Envoy serves, by edge. */
  #served: ReadonlyMap<string, Part> = new Map();
  readonly #parts = new KeptParts();
  readonly #leftOut = new Map<string, LeftOut>();
  /** What Envoy was given last. It may still serve that, even if it has not answered. */
  #before: (Moment & { readonly parts: ReadonlyMap<string, Part> }) | undefined;
  /** What Envoy serves; undefined if that is not known. */
  #last: readonly unknown[] | undefined;
  edges: readonly EdgeState[] = [];

  constructor(
    private readonly engine: Engine,
    private readonly marks: Marks,
  ) {}

  /**
   * Returns whether anything changed.
   * @param keep keeps the objects for a next gateway. Envoy gets nothing that it would not know; and what the
   *   change closes is marked before, because a next gateway cannot tell what Envoy served until then
   * @throws if Envoy did not take everything; `edges` says which edges
   */
  async apply(
    objects: Objects,
    surroundings: Environment,
    keep: () => Promise<void> = async () => undefined,
  ): Promise<boolean> {
    const after = { objects, now: surroundings.now };
    const environment = { ...surroundings, marks: this.marks.all };
    const first = this.#parts.of(objects, environment);
    const parts = this.#mark(first, after) ? this.#parts.of(objects, environment) : first;
    reach("translated");
    const kept = keep();
    const byId = new Map(parts.map((part) => [part.id, part]));
    for (const [id, { part }] of this.#leftOut) if (!isSame(part, byId.get(id))) this.#leftOut.delete(id);
    const known = this.#leftOut.size;
    this.#leaveOutUnreadable(parts, environment);
    let configuration = assemble(parts, environment, this.#reasons);
    const { listen, tcpListen, balancers, challenges } = environment;
    const around = JSON.stringify([listen, tcpListen, balancers, challenges]);
    const current = () => [around, ...parts, ...this.#leftOut.keys()];
    await kept;
    reach("kept");
    if (this.engine.isInformed && isEach(this.#last, current())) return false;
    try {
      configuration = await this.#push(configuration, parts, environment);
    } catch (error) {
      this.#last = undefined;
      this.edges = assemble(parts, environment, this.#reasons).edges.map((edge) =>
        edge.state === "applied" && !isSame(this.#served.get(edge.id), byId.get(edge.id))
          ? { ...edge, state: "rejected", reason: BEHIND }
          : edge,
      );
      throw this.#leftOut.size > known ? new Unfinished(messageOf(error)) : error;
    }
    const { isInformed } = this.engine;
    this.edges = isInformed ? configuration.edges : [];
    this.#last = isInformed ? current() : undefined;
    this.#before = { ...after, parts: byId };
    this.#served = new Map(
      isInformed ? parts.flatMap((part) => (this.#leftOut.has(part.id) ? [] : [[part.id, part]])) : [],
    );
    return true;
  }

  #mark(parts: readonly Part[], after: Moment): boolean {
    const before = this.#before;
    if (!before) return false;
    const changed = parts.flatMap((is) => {
      const was = before.parts.get(is.id);
      return was === undefined || isSame(was, is) ? [] : [{ was, is }];
    });
    return changed.length > 0 && this.marks.mark(before, after, changed);
  }

  /** Returns the configuration that Envoy took: the one without the edges that were found at fault. */
  async #push(
    whole: Configuration,
    parts: readonly Part[],
    environment: Environment,
  ): Promise<Configuration> {
    let configuration = whole;
    for (let round = 1; ; round++) {
      const refused = await this.engine.push(configuration);
      if (refused.length === 0) return configuration;
      const known = this.#leftOut.size;
      for (const one of refused) this.#leaveOutUsersOf(one, parts);
      if (refused.some(({ kind }) => kind === "listener")) await this.#probe(parts);
      if (this.#leftOut.size === known || round === MAX_ROUNDS)
        throw new Error(`${textOf(refused)}. ${KEPT}`);
      configuration = assemble(parts, environment, this.#reasons);
    }
  }

  get #reasons(): ReadonlyMap<string, string> {
    return new Map([...this.#leftOut].map(([id, { reason }]) => [id, reason]));
  }

  #leaveOut(part: Part, reason: string): void {
    this.#leftOut.set(part.id, { reason: `Envoy refuses it: ${reason}`, part });
  }

  /** What does not fit Envoy's own types is not sent. */
  #leaveOutUnreadable(parts: readonly Part[], environment: Environment): void {
    for (const part of parts) {
      if (this.#leftOut.has(part.id) || isSame(this.#served.get(part.id), part)) continue;
      try {
        worldOf(assemble([part], environment));
      } catch (error) {
        this.#leaveOut(part, messageOf(error));
      }
    }
  }

  /** Leaves edges out that need what Envoy refused. */
  #leaveOutUsersOf({ kind, name, reason }: Refused, parts: readonly Part[]): void {
    if (kind === "listener") return;
    const named = (part: Part): readonly { readonly name?: unknown }[] =>
      kind === "filter" ? part.chains.flatMap(({ chain }) => askedIn(chain)) : part[`${kind}s`];
    const about = kind === "filter" ? "" : `of ${name} it says: `;
    for (const part of parts) {
      if (named(part).some((one) => one.name === name)) this.#leaveOut(part, about + causeOf(reason, name));
    }
  }

  /** Asks about the edges that changed first, and then about all others. */
  async #probe(parts: readonly Part[]): Promise<void> {
    const left = parts.filter(({ id }) => !this.#leftOut.has(id));
    const isNew = (part: Part) => !isSame(this.#served.get(part.id), part);
    for (const some of [left.filter(isNew), left.filter((part) => !isNew(part))]) {
      const refused = await this.engine.probe(some);
      for (const part of some) {
        const reason = refused.get(part.id);
        if (reason !== undefined) this.#leaveOut(part, causeOf(reason, `${PROBE}${part.id}`));
      }
      if (refused.size > 0) return;
    }
  }
}

const textOf = (refused: readonly Refused[]): string =>
  refused
    .slice(0, 3)
    .map(({ kind, name, reason }) => `Envoy refused the ${kind} ${name}: ${causeOf(reason, name)}`)
    .join("; ");

/** Envoy's own words about one of the things that it names. */
function causeOf(reason: string, name: string): string {
  const at = reason.indexOf(`${name}: `);
  return causeIn(at < 0 ? reason : reason.slice(at + name.length + 2)) ?? "it gave no reason";
}

const isEach = (one: readonly unknown[] | undefined, other: readonly unknown[]): boolean =>
  one?.length === other.length && one.every((value, index) => value === other[index]);

/** Parts stay the same objects while nothing changes, but one may be made anew and be equal. */
const isSame = (one: Part | undefined, other: Part | undefined): boolean =>
  one === other ||
  (one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other));
