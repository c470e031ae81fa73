import { didYouMean } from "../contract/core/similarity";
import { certificateFacts, certificateOf } from "../meaning/aspects/clientCertificate";
import { heldIn, OTHER, referenceOf } from "../meaning/aspects/heldCertificate";
import type { DecisionRequest } from "../meaning/judgement/types";
import { Model, type ModelObject } from "../meaning/model";
import type { World } from "../meaning/world";

/**
 * A caller's certificate, as a request in each world has it. Its authority is the one in the first world that
 * knows this id or name.
 *
 * @param wanted an id, URN, name, description or subject, or `other`
 * @throws Error if no authority has this name, or several do
 */
export function certificateIn(
  worlds: readonly World[],
  wanted: string,
): NonNullable<DecisionRequest["client_certificate"]>[] {
  if (wanted === OTHER) return worlds.map(() => ({ authority: OTHER }));
  const known = worlds.map((world) => new Model(world).of("certificate_authority"));
  return heldIn(known, signerIn(known, wanted));
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
      const references = [first, ...others].slice(0, MAX_NAMED).map(referenceOf).join(", ");
      throw new Error(
        `Several certificate authorities are called "${wanted}": name one by its id (${references})`,
      );
    }
  const names = [...new Set(known.flat().flatMap(namesOf))];
  throw new Error(
    `There is no certificate authority "${wanted}"${didYouMean(wanted, names) || "; name one by its id, description or subject, or write other"}`,
  );
}

const MAX_NAMED = 5;

/** The name in its program, the description, and the common name of its subject. */
const namesOf = (authority: ModelObject): string[] =>
  [authority.object.name, authority.fields.description, certificateFacts(authority).subject].filter(
    (name): name is string => typeof name === "string" && name !== "",
  );
