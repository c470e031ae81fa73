import type { Transport } from "@tunnelplane/sdk";
import { ConflictError, PreconditionFailedError } from "@tunnelplane/sdk";
import type { Claim, Holder } from "./claim";
import type { Claims } from "./claims";
import type { RecordedResource } from "./stateBackend";

/** How often to retry when somebody else changes the same edge at the same time. */
const MAX_TRIES = 10;

/** The hostports that may have to be taken from other edges of the stack. */
export interface Wanted {
  readonly hostports: readonly Claim[];
  /** Whether a resource in the state is the one that is being changed. */
  readonly isItself: (resource: RecordedResource) => boolean;
  /** By the ids of their claims. */
  readonly holders: () => Promise<ReadonlyMap<string, Holder>>;
}

/**
 * The edges of the stack behind a refusal. The state is asked for hostports only.
 *
 * @throws the refusal itself if it has another reason, or if the state cannot be read
 */
export async function holdersBehind(
  refusal: unknown,
  { hostports, isItself, holders }: Wanted,
): Promise<Holder[]> {
  if (
    !(refusal instanceof ConflictError) ||
    !refusal.field?.startsWith("hostports") ||
    hostports.length === 0
  )
    throw refusal;
  const held = await holders().catch(() => {
    throw refusal;
  });
  return hostports.flatMap(({ id }) => held.get(id) ?? []).filter(({ resource }) => !isItself(resource));
}

/** Moves hostports between the edges of one run. */
export class MovingHostports {
  /** The resources that this run has updated, so that the server has what the program declares for them. */
  readonly #settled = new Set<string>();

  constructor(private readonly claims: Claims) {}

  settle = (urn: string): void => void this.#settled.add(urn);

  /**
   * Carries out a change. If the server refuses it because another edge of the stack still serves a hostport,
   * and the program removes it from that edge in the same run, removes it there first. So the order of the
   * two does not matter, and two edges can swap hostports.
   */
  async during<T>(transport: Transport, wanted: Wanted, run: () => Promise<T>): Promise<T> {
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
        if (tries === MAX_TRIES) throw error;
        const holders = await holdersBehind(error, wanted);
        const givenUp = await Promise.all(holders.map(this.claims.givesUp));
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
}

/** Removes a hostport from an edge, unless it is gone there already. */
const takeFrom = (transport: Transport, holder: Holder): Promise<void> =>
  changeHostports(transport, holder, (others) => others);

/** Adds a hostport to the edge from which it was removed. */
const giveBack = (transport: Transport, holder: Holder): Promise<void> =>
  changeHostports(transport, holder, (others) => [...others, holder.claim.value]);

async function changeHostports(
  transport: Transport,
  { definition, resource, claim }: Holder,
  from: (others: readonly string[]) => readonly string[],
): Promise<void> {
  const path = `${definition.path}/${resource.id}`;
  for (let tries = 1; ; tries++) {
    const { body, etag } = await transport.request<{ hostports: string[] }>("GET", path);
    const others = body.hostports.filter((served) => served.toLowerCase() !== claim.key);
    const hostports = from(others);
    if (hostports.length === body.hostports.length) return;
    try {
      await transport.request("PATCH", path, { hostports }, { ifMatch: etag });
      return;
    } catch (error) {
      if (!(error instanceof PreconditionFailedError) || tries === MAX_TRIES) throw error;
    }
  }
}
