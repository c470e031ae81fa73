import type { AccessChange, OpenedPiece } from "../access/changes";
import type { AreaChanges } from "../access/comparison";
import type { Decision } from "../judgement/types";

/** A change of requests that one address served before and one serves after. */
export interface Taken<Change extends AccessChange = AccessChange> {
  readonly was: string | null;
  readonly is: string | null;
  readonly change: Change;
}

/** The effects of a change on the requests of an address. */
export interface Requests {
  readonly opened: readonly Taken<OpenedPiece>[];
  readonly closed: readonly Taken[];
  readonly moved: readonly Taken[];
  /** All areas that it served, or serves. */
  readonly areas: readonly AreaChanges[];
  /** Whether all of them were decided. */
  readonly isProved: boolean;
}

/** Whether a request ends because no gateway can serve the edge, or listens for it. */
export const isUnservable = ({ outcome, by }: Decision): boolean =>
  outcome === "closed" && by?.field === "hostports";

/** Whether nothing takes a request any more. */
export const hasEnded = (decision: Decision): boolean =>
  decision.by === null || decision.outcome === "not_found" || isUnservable(decision);

/** The effects of a change on requests, by address. */
export class RequestsByAddress {
  readonly #own = new Map<string, AreaChanges[]>();
  readonly #all = new Map<string, Set<AreaChanges>>();

  /** @param areas that were compared @param serves whether an address exists after the change */
  constructor(areas: readonly AreaChanges[], serves: (address: string) => boolean) {
    for (const area of areas) {
      for (const address of [area.was, area.is])
        if (address !== null) this.#all.set(address, (this.#all.get(address) ?? new Set()).add(area));
      // Requests belong to the address that takes them now; if their old address is gone, they are reported
      // at the new one.
      const isGone = area.was !== null && !serves(area.was);
      const address = isGone ? area.was : (area.is ?? area.was);
      if (address !== null) this.#own.set(address, [...(this.#own.get(address) ?? []), area]);
    }
  }

  at(address: string): Requests {
    const own = this.#own.get(address) ?? [];
    const areas = [...(this.#all.get(address) ?? [])];
    const taken = <C extends AccessChange>(of: (area: AreaChanges) => readonly C[]): Taken<C>[] =>
      own.flatMap((area) => of(area).map((change) => ({ was: area.was, is: area.is, change })));
    return {
      opened: taken(({ changes }) => changes.opened),
      closed: taken(({ changes }) => changes.closed),
      moved: taken(({ changes }) => changes.moved),
      areas,
      isProved: areas.every(({ isProved }) => isProved),
    };
  }
}
