import { certificateFacts, certificateOf } from "../meaning/aspects/clientCertificate";
import { heldIn, OTHER } from "../meaning/aspects/heldCertificate";
import { type DecisionRequest, UNRECORDED } from "../meaning/judgement/types";
import type { Model, ModelObject } from "../meaning/model";
import { nameOf } from "../meaning/names";
import type { TrafficCertificate } from "./line";

type Held = NonNullable<DecisionRequest["client_certificate"]>;
type InBoth = readonly [before: Held, after: Held];

/** A file may name any number of authorities. */
const MAX_KNOWN = 10_000;

/**
 * Finds the certificate of a recorded caller before and after a change: one of the authority with the
 * recorded id, or else with the recorded subject, since ids belong to one server and a new authority has
 * none.
 */
export class Signers {
  readonly #authorities: readonly (readonly ModelObject[])[];
  readonly #known = new Map<string, InBoth>();
  /** The subjects of recorded authorities, by their ids. */
  readonly #subjects = new Map<string, string>();

  constructor(private readonly worlds: readonly [before: Model, after: Model]) {
    this.#authorities = worlds.map((world) => world.of("certificate_authority"));
  }

  heldBy(shown: TrafficCertificate): InBoth {
    const key = JSON.stringify([shown.authority, shown.subject]);
    const known = this.#known.get(key) ?? this.#find(shown);
    if (this.#known.size >= MAX_KNOWN) {
      this.#known.clear();
      this.#subjects.clear();
    }
    this.#known.set(key, known);
    if (shown.subject) this.#subjects.set(shown.authority, shown.subject);
    return known;
  }

  /** The name of an authority for people. */
  readonly nameOf = (reference: string): string => {
    const found = this.worlds.map((world) => world.find(reference)).find((one) => one !== undefined);
    return found ? nameOf(found) : (this.#subjects.get(reference) ?? reference);
  };

  #find({ authority, subject }: TrafficCertificate): InBoth {
    const as = (held: Held): InBoth => [held, held];
    if (authority === OTHER) return as({ authority });
    const signer =
      this.#first(({ object }) => object.id === authority) ??
      (subject ? this.#first((one) => certificateFacts(one).subject === subject) : undefined);
    // Some edge may accept it by its id, although it is not seen here.
    if (!signer) return as({ authority });
    if (signer === "several") return as(UNRECORDED);
    const [before = UNRECORDED, after = UNRECORDED] = heldIn(this.#authorities, signer);
    return [before, after];
  }

  /** The authority that fits, in the first world that has one. */
  #first(isMeant: (authority: ModelObject) => boolean): ModelObject | "several" | undefined {
    for (const authorities of this.#authorities) {
      const [first, ...others] = authorities.filter(isMeant);
      if (first)
        return others.every((one) => certificateOf(one) === certificateOf(first)) ? first : "several";
    }
    return undefined;
  }
}
