import { type Definition, holdsSecrets, mapSecrets, seesNoSecrets } from "@tunnelplane/sdk/contract";
import type { Caller } from "../auth";
import { type Document, isEndedIn } from "../documents";

/** As whom somebody reads. */
type Reader = Pick<Caller, "role">;

/** Whether a caller reads null in the place of each secret of a type. */
const hidesSecrets = ({ role }: Reader, definition: Definition): boolean =>
  seesNoSecrets(role) && holdsSecrets(definition);

/** An object as a caller may see it. */
export const shownTo = (caller: Reader, definition: Definition, document: Document): Document =>
  hidesSecrets(caller, definition) ? mapSecrets(definition, document, () => null) : document;

/** The same for its JSON. */
export const jsonFor = (caller: Reader, definition: Definition, json: string): string =>
  hidesSecrets(caller, definition) ? JSON.stringify(shownTo(caller, definition, JSON.parse(json))) : json;

/**
 * The ETag of a whole object: another one where its secrets are not shown, and once it has ended.
 * @param json of the object
 */
export function etagFor(caller: Reader, definition: Definition, version: number, json: string): string {
  const secrets = hidesSecrets(caller, definition) ? "-without-secrets" : "";
  return `"${version}${secrets}${isEndedIn(definition, json) ? "-ended" : ""}"`;
}
