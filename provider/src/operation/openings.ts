import {
  camelCase,
  type Definition,
  definitionNamed,
  modulesOf,
  modulesWithTypes,
  own,
  UNDECIDING_MODULES,
} from "@tunnelplane/sdk/contract";
import { nameIn, type Properties, same } from "../core";

/** How an update lets more callers to an object than before, until other resources are changed. */
interface Opening {
  /** The modules that it loses. */
  readonly lost: readonly string[];
  readonly isServedMore: boolean;
  /** The parts that it waits for. */
  readonly follows: readonly string[];
}

/** A resource as it is checked: an object, or a module that is a resource of its own. */
interface Declared {
  readonly urn: string;
  readonly kind: string;
  /** Of a module: the id of its object, if that is known. */
  readonly of: string | undefined;
  readonly recorded: Properties;
  readonly desired: Properties;
}

/** What keeps callers out of nothing, and has been checked by now. */
interface Open {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** With more than these, nothing is said of what is below them. */
const MAX_OPEN = 1000;

/**
 * What this operation opens. The engine changes an edge before its routes and modules, and others in any
 * order, so callers may get in between whom these keep out; where nothing waits, the preview says so.
 */
export class Openings {
  readonly #byId = new Map<string, Opening>();
  readonly #open: Open[] = [];
  /** Edges below open ones; their routes may keep callers out. */
  readonly #below = new Map<string, string>();

  constructor(private readonly isUnknown: (value: unknown) => boolean) {}

  /** Notes an update. @param recorded without the modules that other resources have by now */
  note(
    { definition, id, follows }: { definition: Definition; id: string; follows: readonly string[] },
    recorded: Properties,
    desired: Properties,
  ): void {
    const lost = modulesLeaving(definition, recorded, desired).map(({ name }) => name);
    const isServedMore = addsHostports(recorded, desired);
    if (lost.length > 0 || isServedMore) this.#byId.set(id, { lost, isServedMore, follows });
  }

  /** What to say of a resource that is checked after what opens without it. */
  gaps(declared: Declared): string[] {
    const { kind, of, desired } = declared;
    const [, module] = kind.split(".");
    if (of !== undefined && module !== undefined && this.#byId.get(of)?.lost.includes(module))
      return [gapWarning(kind, of)];
    const guards = guardsIn(declared);
    const ids = [...new Set([of, desired.edgeId])].filter((id) => typeof id === "string");
    const after = ids.flatMap((id) => {
      const opening = this.#byId.get(id);
      return opening ? guards.flatMap((guard) => gapsOf(opening, id, guard)) : [];
    });
    const below = module === undefined ? this.#gapsBelow(declared) : [];
    return [...after, ...below, ...(guards.length > 0 ? this.#gapsAbove(desired) : [])];
  }

  /** What is open above an edge or a route. */
  #gapsBelow({ urn, kind, recorded, desired }: Declared): string[] {
    const before = addressesIn(recorded);
    const addresses = addressesIn(desired);
    const added = addresses.filter((one) => !before.includes(one));
    const name = nameIn(urn);
    const isOpen = guardsIn({ kind, recorded: {}, desired }).length === 0;
    const wide = this.#open.filter((one) => one.addresses.some((of) => added.some((to) => covers(of, to))));
    const isOpening = added.length > 0 || guardsIn({ kind, recorded: {}, desired: recorded }).length > 0;
    if (isOpen && isOpening && this.#open.length < MAX_OPEN) this.#open.push({ name, addresses });
    if (kind === "https_edge" && isOpen) for (const one of wide) this.#below.set(name, one.name);
    return isOpen ? [] : wide.map((one) => belowWarning(one.name, name));
  }

  /** What is open above a new edge that gets a route or a module: which edge, is not known in a preview. */
  #gapsAbove({ edgeId }: Properties): string[] {
    if (!this.isUnknown(edgeId)) return [];
    const below = [...this.#below];
    this.#below.clear();
    return below.map(([edge, of]) => belowWarning(of, edge));
  }
}

/** The modules that a change takes out of an object, by their types. */
export const modulesLeaving = (definition: Definition, recorded: Properties, desired: Properties) =>
  modulesWithTypes(definition).filter(
    ({ name }) => own(recorded, camelCase(name)) !== undefined && own(desired, camelCase(name)) === undefined,
  );

/** Whether an edge gets hostports. */
export function addsHostports(recorded: Properties, desired: Properties): boolean {
  const [before, after] = [own(recorded, "hostports"), own(desired, "hostports")];
  return Array.isArray(after) && after.some((one) => !Array.isArray(before) || !before.includes(one));
}

/** A module that a resource sets or changes, and that keeps callers out. */
interface Guard {
  readonly module: string;
  readonly isNew: boolean;
}

function guardsIn({ kind, recorded, desired }: Pick<Declared, "kind" | "recorded" | "desired">): Guard[] {
  const [object = "", module] = kind.split(".");
  const isChanged = (name: string) => !same(own(recorded, name), own(desired, name));
  const isNew = Object.keys(recorded).length === 0;
  const set =
    module === undefined
      ? modulesOf(definitionNamed(object)).flatMap((name) => {
          const property = camelCase(name);
          const isSet = own(desired, property) !== undefined && isChanged(property);
          return isSet ? [{ module: name, isNew: own(recorded, property) === undefined }] : [];
        })
      : Object.keys(desired).some(isChanged)
        ? [{ module, isNew }]
        : [];
  return set.filter((guard) => !NO_GUARDS.includes(guard.module));
}

const NO_GUARDS = [...UNDECIDING_MODULES, "tls_termination"];

function gapsOf({ lost, isServedMore, follows }: Opening, id: string, { module, isNew }: Guard): string[] {
  if (isNew && follows.some((part) => part === module || part.endsWith(` ${module}`))) return [];
  const before = `in this run before this resource ${isNew ? "sets" : "changes"} ${module}`;
  const others = lost.filter((name) => !NO_GUARDS.includes(name));
  const exchanges = others.map(
    (other) =>
      `${other} leaves ${id} ${before}, so ${isNew ? "neither" : "only the old one"} is applied in between. To exchange them without a gap, declare both in one run, and remove ${other} in the next`,
  );
  if (!isServedMore) return exchanges;
  return [
    ...exchanges,
    `${id} gets hostports ${before}, so that is not applied there in between. To add them without a gap, do it in the run after this one`,
  ];
}

/** What a preview and a run say where a module leaves its object first and comes back afterwards. */
const gapWarning = (module: string, of: string): string =>
  `${module} leaves ${of} in this run before this resource sets it again, so it is not applied in between. To move it without a gap, declare it in both places with equal values in one run, and remove it from the first in the next`;

const belowWarning = (wide: string, name: string): string =>
  `\`${wide}\` may serve what \`${name}\` keeps callers out of, until that is there with all its parts. To leave no gap, let \`${wide}\` depend on them (dependsOn), or declare it in the run after this one`;

/** The addresses of an edge or a route, as far as they are known. */
function addressesIn({ hostports, edgeId, match }: Properties): string[] {
  if (Array.isArray(hostports)) return hostports.map(String);
  return typeof edgeId === "string" && typeof match === "string" ? [`${edgeId} ${match}`] : [];
}

/** Whether one serves the other's callers where that is not there. */
const covers = (wide: string, one: string): boolean =>
  one !== wide &&
  (wide.startsWith("*.") ? one.endsWith(wide.slice(1)) : wide.includes(" ") && one.startsWith(wide));
