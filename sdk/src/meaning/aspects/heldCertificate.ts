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
    const same =
      authorities.find((one) => certificateOf(one) === certificateOf(signer)) ??
      authorities.find((one) => one.identity === signer.identity && holdsUnknown(one.fields.ca_pem));
    if (!same) return { authority: OTHER };
    return same !== signer && holdsUnknown(same.fields.ca_pem)
      ? UNRECORDED
      : { authority: referenceOf(same) };
  });

/** The text by which a request names an authority. */
export const referenceOf = ({ object, identity }: ModelObject): string => object.id ?? object.urn ?? identity;
