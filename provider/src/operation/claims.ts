import { setTimeout as sleep } from "node:timers/promises";
import type { Definition } from "@tunnelplane/sdk/contract";
import { nameIn, typesIn } from "../core";
import { type Claim, type Holder, isHostport, movesBy } from "./claim";
import { cureOf, declaredToo, shown } from "./cures";

/**
 * If the program declares nothing for this long, it is waiting for this resource, and will declare nothing
 * more before it is done.
 */
const QUIET_MS = 3000;

/** A resource whose claims are compared. */
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
  /** The hostports of edges that the program declares, perhaps later, by their types and names. */
  readonly #later = new Map<string, readonly string[]>();
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

  noteLater(edges: Readonly<Record<string, readonly string[]>>): void {
    for (const [named, hostports] of Object.entries(edges)) this.#later.set(named, hostports);
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
  givesUp = async ({ resource: { urn }, claim }: Holder): Promise<boolean> => {
    const later = this.#later.get(`${typesIn(urn)} ${nameIn(urn)}`);
    if (later && !this.knows(urn)) return !later.includes(claim.key);
    return (await this.declares(urn)) && !this.#claims(urn, claim);
  };

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
      // A new resource, or a value that moves, may be a rename. Any other was in the state beside the holder.
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
