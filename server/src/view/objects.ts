import { type Definition, definitionNamed, holdsSecrets, mapSecrets } from "@tunnelplane/sdk/contract";
import type { WorldObject } from "@tunnelplane/sdk/meaning";
import { type Document, textIn } from "../documents";
import type { Database } from "../storage";

/** An object of {@link objectOf} as it is stored. */
export type NamedRow = Pick<Database["resource"], "kind" | "document" | "name">;

/**
 * An object as input for `@tunnelplane/sdk/meaning`: without secrets, and without routes, which are objects
 * of their own there.
 * @param name in the program that made it
 */
export function objectOf(definition: Definition, document: Document, name?: string | null): WorldObject {
  const open = holdsSecrets(definition) ? mapSecrets(definition, document, () => undefined) : document;
  const { routes, ...fields } = open;
  return {
    kind: definition.kind,
    id: textIn(document, "id"),
    ...(name && { name }),
    fields: definition.kind === "https_edge" ? fields : open,
  };
}

export const storedObject = ({ kind, document, name }: NamedRow): WorldObject =>
  objectOf(definitionNamed(kind), JSON.parse(document), name);
