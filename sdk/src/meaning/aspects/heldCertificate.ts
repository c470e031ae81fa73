import { type DecisionRequest, UNRECORDED } from "../judgement/types";
import type { ModelObject } from "../model";
import { holdsUnknown } from "../values";
import { certificateOf } from "./clientCertificate";

/** Stands for every authority that is not stored. */
export const OTHER = "other";

type Held = NonNullable<DecisionRequest["client_certificate"]>;

/**
 * A certificate that an authority signed, as a request in each world has it. If a world has another
 * certificate under the same identity, the caller still holds one that this authority signed.
 * @param known the authorities of each world
 */
export const heldIn = (known: readonly (readonly ModelObject[])[], signer: ModelObject): Held[] =>
  known.map((authorities) => {
    const counterpart =
      authorities.find((authority) => certificateOf(authority) === certificateOf(signer)) ??
      authorities.find(
        (authority) => authority.identity === signer.identity && holdsUnknown(authority.fields.ca_pem),
      );
    if (!counterpart) return { authority: OTHER };
    return counterpart !== signer && holdsUnknown(counterpart.fields.ca_pem)
      ? UNRECORDED
      : { authority: referenceOf(counterpart) };
  });

/** The text by which a request names an authority. */
export const referenceOf = ({ object, identity }: ModelObject): string => object.id ?? object.urn ?? identity;
