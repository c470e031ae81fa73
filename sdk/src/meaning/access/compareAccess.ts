import { once } from "../../contract/core/once";
import { decisionsIn } from "../decision/decider";
import { CREDENTIALS } from "../judgement/backends/binding";
import type { Decider } from "../judgement/types";
import { type Model, type ModelObject, pairOf } from "../model";
import { nameOf } from "../names";
import { canonical, holdsUnknown, inOrder, textIn } from "../values";
import type { World } from "../world";
import { type Area, areasOf, Claims, type Serving } from "./areas";
import { type Changes, changesIn, type Opened } from "./changes";
import type { Pieces } from "./combinations";
import type { AccessComparison, AreaChanges, Unproved } from "./comparison";
import { Cutter } from "./pieces";
import { verdictText } from "./requestText";
import { newRoom } from "./room";
import { touchedBy } from "./touched";

/**
 * Compares the requests that two worlds let in, by a proof of samples: every test that either world makes
 * cuts requests into pieces, and one request of each combination of pieces is decided in both worlds. Only
 * addresses that the change can touch are looked at.
 */
export function compareAccess(before: World, after: World): AccessComparison {
  return compareModels(...pairOf(before, after)).access;
}

/** The same for worlds that were read already. @returns all that was found, and in short */
export function compareModels(
  before: Model,
  after: Model,
): { readonly areas: readonly AreaChanges[]; readonly access: AccessComparison } {
  const comparison = new WorldComparison(before, after);
  const areas = [...comparison.areas()].map((area) => comparison.changesAt(area));
  return { areas, access: comparison.resultOf(areas) };
}

class WorldComparison {
  readonly #unproved: Unproved[] = [];
  readonly #cutter = new Cutter();
  readonly #claims: { readonly before: Claims; readonly after: Claims };
  readonly #touched: ReadonlySet<string>;
  readonly #touchesAll: boolean;
  readonly #touchesCredentials: boolean;
  readonly #makeDeciders: () => { readonly before: Decider; readonly after: Decider };
  #combinations = 0;
  readonly #room = newRoom();
  readonly #addresses = new Set<string>();

  constructor(
    private readonly before: Model,
    private readonly after: Model,
  ) {
    const ports = { before: before.world.ports, after: after.world.ports };
    this.#claims = { before: new Claims(before, ports.before), after: new Claims(after, ports.after) };
    this.#touched = touchedBy(before, after);
    const homeless = [before, after].flatMap((model) => model.ofUnknownOwner);
    const credentials = CREDENTIALS.flatMap((kind) => [...before.of(kind), ...after.of(kind)]);
    this.#touchesCredentials = credentials.some((thing) => this.#isTouched(thing));
    this.#touchesAll = before.partial !== after.partial || homeless.some((thing) => this.#isTouched(thing));
    this.#makeDeciders = once(() => ({
      before: decisionsIn(before, ports.before),
      after: decisionsIn(after, ports.after),
    }));
    for (const edge of after.edges)
      if (holdsUnknown(edge.fields.hostports) && this.#isTouched(edge))
        this.#unproved.push({
          address: `(not known yet: ${nameOf(edge)})`,
          reason: "Not all of its hostports are known.",
        });
  }

  /** Made where something is to be decided. */
  get #deciders(): { readonly before: Decider; readonly after: Decider } {
    return this.#makeDeciders();
  }

  /** The areas that the change can touch, in the order of addresses. */
  *areas(): Generator<Area> {
    const samePorts = canonical(this.before.world.ports) === canonical(this.after.world.ports);
    if (this.#touched.size === 0 && !this.#touchesAll && samePorts) return;
    const { before, after } = this.#claims;
    for (const hostport of [...new Set([...before.hostports, ...after.hostports])].sort(inOrder)) {
      const routes = [before, after].map((claims) =>
        claims.at(hostport).flatMap((edge) => [edge, ...claims.routesOf(edge)]),
      );
      const all = routes.flat();
      const isSame = sameThings(routes[0] ?? [], routes[1] ?? []);
      const isAround =
        before.isListenedFor(hostport) !== after.isListenedFor(hostport) ||
        (this.#touchesCredentials && before.mayBeBound(hostport) !== after.mayBeBound(hostport));
      if (isSame && !isAround && !this.#touchesAll && !all.some((thing) => this.#isTouched(thing))) continue;
      const touchesEach =
        isAround || this.#touchesAll || all.some((thing) => this.#isTouched(thing) && mayTakeAnyPath(thing));
      for (const area of areasOf(hostport, before, after))
        if (touchesEach || this.#isTouchedArea(area)) yield area;
    }
  }

  readonly #nameOf = (authority: string): string => {
    const thing = this.after.find(authority) ?? this.before.find(authority);
    return thing ? nameOf(thing) : authority;
  };

  /** Compares the requests of an area. */
  changesAt({ address, texts, before, after }: Area): AreaChanges {
    const deciders = [this.#deciders.before, this.#deciders.after] as const;
    const { pieces, reasons } = this.#cutter.cutArea(texts, deciders);
    // If no path leads to the area, other routes take all requests.
    const found = pieces && this.#changesIn(pieces, before);
    for (const reason of found?.unknown ?? []) reasons.add(reason);
    for (const reason of reasons) this.#unproved.push({ address, reason: reason });
    this.#addresses.add(address);
    return {
      was: before.address,
      is: after.address,
      changes: found ?? NO_CHANGES,
      isProved: reasons.size === 0,
    };
  }

  #changesIn(pieces: Pieces, { address }: Serving): Changes {
    const found = changesIn(this.#deciders.before, this.#deciders.after, pieces, {
      isNew: address === null,
      room: this.#room,
    });
    this.#combinations += found.combinations;
    return found;
  }

  resultOf(areas: readonly AreaChanges[]): AccessComparison {
    const opened = areas.flatMap(({ changes }) => strongestOf(changes.opened) ?? []);
    const access = {
      verdict: opened.length > 0 ? "opens" : this.#unproved.length > 0 ? "unproved" : "opens nothing",
      opened,
      closed: areas.flatMap(({ changes }) => changes.closed[0] ?? []),
      moved: areas.flatMap(({ changes }) => changes.moved[0] ?? []),
      unproved: this.#unproved,
      combinations: this.#combinations,
      addresses: this.#addresses.size,
    } as const;
    return { sentence: verdictText(access, this.#nameOf), ...access };
  }

  #isTouched = ({ identity }: ModelObject): boolean => this.#touched.has(identity);

  /**
   * Includes areas of an edge that can be enforced in one world only, because of something elsewhere in the
   * edge.
   */
  #isTouchedArea({ texts, before, after }: Area): boolean {
    const things = [...before.edges, ...before.routes, ...after.edges, ...after.routes];
    if (things.some((thing) => this.#isTouched(thing))) return true;
    if (!sameThings(before.edges, after.edges) || !sameThings(before.routes, after.routes)) return true;
    const address = `${texts.name}:${texts.port}`;
    const [served, serves] = [this.#deciders.before, this.#deciders.after].map(
      (decider) => decider.predicatesOf(address, texts.paths.familiar[0]).predicates.length > 0,
    );
    return served !== serves;
  }
}

const NO_CHANGES: Changes = {
  opened: [],
  closed: [],
  moved: [],
  ordinary: undefined,
  unknown: new Set(),
  combinations: 0,
};

/** The example that opened for everyone, or else the first. */
function strongestOf(opened: Changes["opened"]): Opened | undefined {
  const found = opened.find(({ everyone }) => everyone) ?? opened[0];
  if (!found) return undefined;
  const { address, was, example, everyone, new: isNew } = found;
  return { address, was, example, everyone, new: isNew };
}

const sameThings = (things: readonly ModelObject[], counterparts: readonly ModelObject[]): boolean =>
  things.length === counterparts.length &&
  things.every(({ identity }, index) => identity === counterparts[index]?.identity);

const mayTakeAnyPath = ({ kind, fields }: ModelObject): boolean =>
  kind === "https_edge_route" && (textIn(fields.match) === undefined || holdsUnknown(fields.match_type));
