import {
  type Definition,
  definitionOfId,
  embeddedIn,
  holdsSecrets,
  mapSecrets,
  oncePer,
  seesNoSecrets,
  writeOnlyPathsOf,
} from "@tunnelplane/sdk/contract";
import type { Caller } from "../auth";
import { type Document, isEndedIn } from "../documents";

/** As whom somebody reads. */
type Reader = Pick<Caller, "role">;

/** The secrets that a caller reads null in the place of. */
type Hidden = "all" | "writeOnly" | "none";

function hiddenFrom({ role }: Reader, definition: Definition): Hidden {
  if (!holdsSecrets(definition)) return "none";
  if (seesNoSecrets(role)) return "all";
  return role !== "gateway" && holdsWriteOnly(definition) ? "writeOnly" : "none";
}

const holdsWriteOnly = oncePer((definition: Definition): boolean =>
  [definition, ...embeddedIn(definition).map(([, child]) => child)].some(
    (one) => writeOnlyPathsOf(one).length > 0,
  ),
);

/** An object as a caller may see it. */
export function shownTo(caller: Reader, definition: Definition, document: Document): Document {
  const hidden = hiddenFrom(caller, definition);
  if (hidden === "none") return document;
  return mapSecrets(definition, document, (secret, { id, path }) =>
    hidden === "all" || writeOnlyPathsOf(definitionOfId(id) ?? definition).includes(path) ? null : secret,
  );
}

/** The same for its JSON. */
export const jsonFor = (caller: Reader, definition: Definition, json: string): string =>
  hiddenFrom(caller, definition) === "none"
    ? json
    : JSON.stringify(shownTo(caller, definition, JSON.parse(json)));

/**
 * The ETag of a whole object: another one where its secrets are not shown, and once it has ended.
 * @param json of the object
 */
export function etagFor(caller: Reader, definition: Definition, version: number, json: string): string {
  const secrets = { all: "-without-secrets", writeOnly: "", none: "" }[hiddenFrom(caller, definition)];
  return `"${version}${secrets}${isEndedIn(definition, json) ? "-ended" : ""}"`;
}
