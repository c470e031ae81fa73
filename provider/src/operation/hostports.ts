import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@tunnelplane/sdk";
import { ConflictError, PreconditionFailedError } from "@tunnelplane/sdk";
import { type Definition, once, registry } from "@tunnelplane/sdk/contract";
import { nameIn, type Properties } from "../core";
import type { RecordedResource } from "./stateBackend";

/**
 * If the program declares nothing for this long, it is waiting for this resource, and will declare nothing
 * more before it is done.
 */
const QUIET_MS = 3000;
/** How often to retry when somebody else changes the same edge at the same time. */
const MOST_TRIES = 10;

/** The known hostports that a resource declares; empty unless it is an edge. */
export function hostportsOf(
  definition: Definition,
  { hostports }: Properties,
  isUnknown: (value: unknown) => boolean,
): string[] {
  if (!definition.fields.hostports || !Array.isArray(hostports)) return [];
  return hostports.filter(
    (hostport): hostport is string => typeof hostport === "string" && !isUnknown(hostport),
  );
}

/** An edge in the state that serves a hostport which another resource of the stack declares. */
export interface Holder {
  readonly hostport: string;
  readonly definition: Definition;
  readonly name: string;
  readonly resource: RecordedResource;
}

/** The definitions of edges, by the names of their types. Made late, because it loads the whole contract. */
const edges = once(
  () =>
    new Map(
      registry.filter(({ fields }) => fields.hostports).map((definition) => [definition.type, definition]),
    ),
);

/** Whether a resource in the state is the one that is being changed. */
type IsItself = (resource: RecordedResource) => boolean;

export function holdersOf(
  isItself: IsItself,
  hostports: readonly string[],
  recorded: readonly RecordedResource[],
): Holder[] {
  const wanted = new Map(hostports.map((hostport) => [hostport.toLowerCase(), hostport]));
  return recorded.flatMap((resource) => {
    const definition = edges().get(resource.type.split(":").at(-1) ?? "");
    // A resource with an explicit account may be on another server, where the same hostport is free.
    if (!definition || isItself(resource) || !resource.provider?.includes("::default")) return [];
    const served = resource.outputs?.hostports ?? resource.inputs?.hostports;
    return (Array.isArray(served) ? served : []).flatMap((hostport) => {
      const found = wanted.get(String(hostport).toLowerCase());
      return found === undefined
        ? []
        : [{ hostport: found, definition, name: nameIn(resource.urn), resource }];
    });
  });
}

/** The hostports that may have to be taken from other edges of the stack. */
export interface Wanted {
  readonly hostports: readonly string[];
  readonly isItself: IsItself;
  readonly recorded: () => Promise<readonly RecordedResource[]>;
}

/**
 * The edges of the stack behind a refusal. The state is asked for hostports only.
 *
 * @throws the refusal itself if it has another reason, or if the state cannot be read
 */
export async function holdersBehind(
  refusal: unknown,
  { hostports, isItself, recorded }: Wanted,
): Promise<Holder[]> {
  if (
    !(refusal instanceof ConflictError) ||
    !refusal.field?.startsWith("hostports") ||
    hostports.length === 0
  )
    throw refusal;
  const state = await recorded().catch(() => {
    throw refusal;
  });
  return holdersOf(isItself, hostports, state);
}

/** The hostports that the resources of one run declare. */
export class DeclaredHostports {
  /** By URN, in lower case. */
  readonly #declared = new Map<string, ReadonlySet<string>>();
  #lastDeclared = 0;
  /** The resources that this run has updated, so that the server has what the program declares for them. */
  readonly #settled = new Set<string>();

  settle = (urn: string): void => void this.#settled.add(urn);

  /**
   * Notes the hostports of a resource. Call it for every resource: each one shows that the program is still
   * declaring.
   */
  note(urn: string, served: readonly string[]): void {
    this.#lastDeclared = Date.now();
    this.#declared.set(urn, new Set(served.map((hostport) => hostport.toLowerCase())));
  }

  /** Whether the program was seen to declare a resource. */
  knows = (urn: string): boolean => this.#declared.has(urn);

  /** All of them, in lower case. */
  all = (): string[] => [...this.#declared.values()].flatMap((served) => [...served]);

  /** Why a resource cannot have its hostports: another resource of the program declares them, too. */
  refusals(urn: string, served: readonly string[]): string[] {
    return served.flatMap((hostport) => {
      const [other] =
        [...this.#declared].find(
          ([otherUrn, theirs]) => otherUrn !== urn && theirs.has(hostport.toLowerCase()),
        ) ?? [];
      return other === undefined
        ? []
        : [
            `hostports: "${hostport}" is declared by this stack's \`${nameIn(other)}\`, too; declare it in one of them only`,
          ];
    });
  }

  /**
   * Carries out a change. If the server refuses it because another edge of the stack still serves a hostport,
   * and the program removes it from that edge in the same run, removes it there first. So the order of the
   * two does not matter, and two edges can swap hostports.
   */
  async movingHostports<T>(transport: Transport, wanted: Wanted, run: () => Promise<T>): Promise<T> {
    const taken: Holder[] = [];
    try {
      return await this.#moving(transport, wanted, run, taken);
    } catch (error) {
      // The state says that the others still serve these: a run that gives them up no more finds no change.
      for (const holder of taken)
        if (!this.#settled.has(holder.resource.urn)) await giveBack(transport, holder).catch(() => undefined);
      throw error;
    }
  }

  async #moving<T>(transport: Transport, wanted: Wanted, run: () => Promise<T>, taken: Holder[]): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await run();
      } catch (error) {
        if (tries === MOST_TRIES) throw error;
        const holders = await holdersBehind(error, wanted);
        const givenUp = await Promise.all(holders.map((holder) => this.#isGivenUp(holder)));
        // The other edge may have been updated just before the state was read; then there is no holder, and
        // one retry helps.
        if ((holders.length === 0 && tries > 1) || givenUp.includes(false)) throw error;
        for (const holder of holders) {
          taken.push(holder);
          await takeFrom(transport, holder);
        }
      }
    }
  }

  /**
   * Whether the program declares the holder without the hostport. Waits, because the engine checks resources
   * while it creates others.
   */
  async #isGivenUp({ resource, hostport }: Holder): Promise<boolean> {
    while (!this.#declared.has(resource.urn) && Date.now() - this.#lastDeclared < QUIET_MS) await sleep(50);
    return this.#declared.get(resource.urn)?.has(hostport.toLowerCase()) === false;
  }
}

/** Removes a hostport from an edge, unless it is gone there already. */
const takeFrom = (transport: Transport, holder: Holder): Promise<void> =>
  changeHostports(transport, holder, (others) => others);

/** Adds a hostport to the edge from which it was removed. */
const giveBack = (transport: Transport, holder: Holder): Promise<void> =>
  changeHostports(transport, holder, (others) => [...others, holder.hostport]);

async function changeHostports(
  transport: Transport,
  { definition, resource, hostport }: Holder,
  from: (others: readonly string[]) => readonly string[],
): Promise<void> {
  const path = `${definition.path}/${resource.id}`;
  for (let tries = 1; ; tries++) {
    const { body, etag } = await transport.request<{ hostports: string[] }>("GET", path);
    const others = body.hostports.filter((served) => served.toLowerCase() !== hostport.toLowerCase());
    const hostports = from(others);
    if (hostports.length === body.hostports.length) return;
    try {
      await transport.request("PATCH", path, { hostports }, { ifMatch: etag });
      return;
    } catch (error) {
      if (!(error instanceof PreconditionFailedError) || tries === MOST_TRIES) throw error;
    }
  }
}
