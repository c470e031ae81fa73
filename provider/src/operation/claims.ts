import { setTimeout as sleep } from "node:timers/promises";
import {
  camelCase,
  type Definition,
  definitionNamed,
  KINDS,
  pascalCase,
  TCP_PORT,
} from "@tunnelplane/sdk/contract";
import { classIn, type Properties, toWire } from "../core";
import { cureOf, declaredToo, shown } from "./cures";
import type { RecordedResource } from "./stateBackend";

/**
 * If the program declares nothing for this long, it is waiting for this resource, and will declare nothing
 * more before it is done.
 */
const QUIET_MS = 3000;
/** No value of a program has it. */
const NOT_KNOWN = "\0";
/** The scope of hostports: a run moves them from one edge to another. */
const HOSTPORT = "hostport";

export const isHostport = ({ scope }: Claim): boolean => scope === HOSTPORT;

/** A value of a resource that no other one may hold at the same time. */
export interface Claim {
  /** Equal for equal values in the same scope. */
  readonly id: string;
  /** The scope and the value as the contract compares it. */
  readonly scope: string;
  readonly key: string;
  /** The property, in the spelling of programs. */
  readonly property: string;
  readonly value: string;
}

/** The unique values that properties claim, as far as they are known. */
export function claimsOf(
  definition: Definition,
  properties: Properties,
  isUnknown: (value: unknown) => boolean,
): Claim[] {
  const known = Object.fromEntries(
    Object.entries(toWire(definition, properties)).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.filter((item) => !isUnknown(item)) : isUnknown(value) ? NOT_KNOWN : value,
    ]),
  );
  return keysOf(definition, known)
    .filter(({ scope, key }) => !`${scope}${key}`.includes(NOT_KNOWN))
    .map(({ scope, key, path: [field = "", ...rest] }) => ({
      id: idOf(scope, key),
      scope,
      key,
      property: camelCase(String(field)),
      value: String(rest.reduce((value, part) => (value as Properties)[String(part)], known[String(field)])),
    }));
}

const idOf = (scope: string, key: string): string => JSON.stringify([scope, key]);

function keysOf(definition: Definition, known: Properties): ReturnType<Definition["unique"]> {
  try {
    return definition.unique(known);
  } catch {
    return []; // a value that they are made of is not known, or encrypted
  }
}

/** A resource in the state, with the unique value that it holds there. */
export interface Holder {
  readonly claim: Claim;
  readonly definition: Definition;
  readonly resource: RecordedResource;
}

/**
 * Those of one provider, by their claims.
 *
 * @param isHere whether a resource belongs to the provider: that of another may be on another server
 */
export function holdersIn(
  recorded: readonly RecordedResource[],
  isHere: (resource: RecordedResource) => boolean,
): Map<string, Holder> {
  const kinds = new Map<string, (typeof KINDS)[number]>(KINDS.map((kind) => [pascalCase(kind), kind]));
  const holders = new Map<string, Holder>();
  for (const resource of recorded) {
    const kind = kinds.get(classIn(resource.type) ?? "");
    if (kind === undefined || resource.delete || !isHere(resource)) continue;
    const definition = definitionNamed(kind);
    const properties = { ...resource.inputs, ...resource.outputs };
    for (const claim of claimsOf(definition, properties, () => false))
      holders.set(claim.id, { claim, definition, resource });
  }
  return holders;
}

/** What is known of a resource whose claims are compared. */
export interface Claiming {
  readonly urn: string;
  readonly definition: Definition;
  /** Whether the program declares another resource; undefined where that is not known. */
  readonly declares: (urn: string) => Promise<boolean | undefined>;
  /** By the ids of their claims. */
  readonly holders: () => Promise<ReadonlyMap<string, Holder>>;
}

/** The unique values that the resources of one run claim. */
export class Claims {
  /** By URN, then by the id of the claim. */
  readonly #declared = new Map<string, ReadonlyMap<string, Claim>>();
  /** The ids of what resources of the state claimed before this run, by URN. */
  readonly #before = new Map<string, ReadonlySet<string>>();
  #lastDeclared = 0;

  /**
   * Notes a checked resource. Call it for every resource: each one shows that the program is still declaring.
   *
   * @param before what it claimed before; undefined for a new one, and where that was noted already
   */
  note(urn: string, claims: readonly Claim[], before: readonly Claim[] | undefined): void {
    this.#lastDeclared = Date.now();
    this.#declared.set(urn, new Map(claims.map((claim) => [claim.id, claim])));
    if (before) this.#before.set(urn, new Set(before.map(({ id }) => id)));
  }

  /** The hostports that the program declares, in lower case. */
  hostports = (): string[] =>
    [...this.#declared.values()].flatMap((claims) =>
      [...claims.values()].filter(isHostport).map(({ key }) => key),
    );

  /** The program declares a resource, as far as it was seen to. */
  knows = (urn: string): boolean => this.#declared.has(urn);

  /**
   * Whether the program declares a resource. Waits, because the engine checks resources while it creates
   * others.
   */
  declares = async (urn: string): Promise<boolean> => {
    // Not earlier: the engine checks no more while too many of its steps wait, for the state for example.
    const asked = Date.now();
    while (!this.knows(urn) && Date.now() - Math.max(asked, this.#lastDeclared) < QUIET_MS) await sleep(50);
    return this.knows(urn);
  };

  /** Whether the program declares a holder without its claim. Waits for that, too. */
  givesUp = async ({ resource: { urn }, claim }: Holder): Promise<boolean> =>
    (await this.declares(urn)) && !this.#claims(urn, claim);

  /**
   * Why a run could not give a resource its unique values: another resource declares the same one, or holds
   * it before the run. That one is often the resource itself under its old name. A sentence for each other
   * resource.
   */
  async refusals({ urn, definition, declares, holders }: Claiming): Promise<string[]> {
    const reasons = new Map<string, string>();
    const refuse = (other: string, { property, value }: Claim, reason: string) =>
      reasons.has(other) || reasons.set(other, `${property}: ${shown(value)} ${reason}`);
    const [declared, before] = [[...(this.#declared.get(urn)?.values() ?? [])], this.#before.get(urn)];
    for (const claim of declared)
      for (const other of this.#declared.keys())
        if (other !== urn && this.#claims(other, claim)) refuse(other, claim, declaredToo(other));
    const added = declared.filter(({ id }) => !before?.has(id));
    const held = added.length > 0 ? await holders() : new Map<string, Holder>();
    for (const claim of added) {
      const holder = held.get(claim.id);
      const other = holder?.resource.urn;
      if (!holder || !other || other === urn || reasons.has(other)) continue;
      const moves = movesBy(claim, (id) => held.get(id)?.resource.urn === other);
      // What moves or is new may be a renamed resource; the others were in the state beside the holder.
      const isThere = moves || !before ? await declares(other) : true;
      if (this.#claims(other, claim)) refuse(other, claim, declaredToo(other));
      else if (!moves || isThere === false)
        refuse(
          other,
          claim,
          cureOf(holder, {
            urn,
            definition,
            isNew: !before,
            isThere: isThere === true,
            givesUp: this.knows(other),
          }),
        );
    }
    return [...reasons.values()];
  }

  #claims = (urn: string, { id }: Claim): boolean => this.#declared.get(urn)?.has(id) === true;
}

/** Whether a run moves a value from one resource to another: a hostport, and the port of one. */
const movesBy = ({ scope, value }: Claim, isHeldThere: (id: string) => boolean): boolean =>
  scope === HOSTPORT || (scope === TCP_PORT && isHeldThere(idOf(HOSTPORT, value.toLowerCase())));
