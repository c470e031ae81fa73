import { didYouMean } from "../contract/core/similarity";
import { certificateFacts, certificateOf } from "../meaning/aspects/clientCertificate";
import type { DecisionRequest } from "../meaning/decision/types";
import { Model, type ModelObject } from "../meaning/model";
import { holdsUnknown } from "../meaning/values";
import type { World } from "../meaning/world";

/** Stands for every authority that is not stored. */
const OTHER = "other";

/**
 * A caller's certificate as a request in each world has it: one that the authority signed which the first of
 * the worlds that knows this id or name has. Where a later world has another certificate under the same name,
 * the caller still holds one that the first signed.
 * @param wanted an id, URN, description or subject, or `other`
 * @throws Error where no authority has this name, or several do
 */
export function certificateIn(
  worlds: readonly World[],
  wanted: string,
): NonNullable<DecisionRequest["client_certificate"]>[] {
  if (wanted === OTHER) return worlds.map(() => ({ authority: OTHER }));
  const known = worlds.map((world) => new Model(world).of("certificate_authority"));
  const signer = signerIn(known, wanted);
  return known.map((authorities) => {
    const same =
      authorities.find((one) => certificateOf(one) === certificateOf(signer)) ??
      authorities.find((one) => one.identity === signer.identity && holdsUnknown(one.fields.ca_pem));
    if (!same) return { authority: OTHER };
    return same !== signer && holdsUnknown(same.fields.ca_pem) ? "unknown" : { authority: referenceOf(same) };
  });
}

function signerIn(known: readonly (readonly ModelObject[])[], wanted: string): ModelObject {
  for (const isMeant of [
    (one: ModelObject) => one.object.id === wanted || one.object.urn === wanted,
    (one: ModelObject) => namesOf(one).includes(wanted),
  ])
    for (const authorities of known) {
      const [first, ...others] = authorities.filter(isMeant);
      if (!first) continue;
      if (others.every((one) => certificateOf(one) === certificateOf(first))) return first;
      const references = [first, ...others].slice(0, MOST_NAMED).map(referenceOf).join(", ");
      throw new Error(
        `Several certificate authorities are called "${wanted}": name one by its id (${references})`,
      );
    }
  const names = [...new Set(known.flat().flatMap(namesOf))];
  throw new Error(
    `There is no certificate authority "${wanted}"${didYouMean(wanted, names) || "; name one by its id, description or subject, or write other"}`,
  );
}

const MOST_NAMED = 5;

const referenceOf = ({ object, identity }: ModelObject): string => object.id ?? object.urn ?? identity;

/** The name in its program, the description, and the common name of its subject. */
const namesOf = (authority: ModelObject): string[] =>
  [authority.object.name, authority.fields.description, certificateFacts(authority).subject].filter(
    (name): name is string => typeof name === "string" && name !== "",
  );
