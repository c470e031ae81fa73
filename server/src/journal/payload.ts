import { type Change, type Definition, definitionOf, eventTypeOf, holdsSecrets, mapSecrets } from "@tunnelplane/sdk/contract";
import type { Document, Documents } from "../documents";
import { newId } from "../util";
import { differences } from "./differences";
import type { StoredAs } from "./digests";

/** Who made a change, how, and from where. */
export interface Author {
  /** The user or bot. */
  readonly ownerId: string;
  readonly name: string;
  /** The API key that was used; absent where the server itself acts. */
  readonly keyId?: string;
  /** What the log calls the request. */
  readonly operationId: string;
  /** The client's address. */
  readonly client?: string;
}

/** Who acts where an operator uses the command line, which has no API key. */
export const commandLine = (): Author => ({ ownerId: "command-line", name: "command line", operationId: newId("op") });

/** One change of one object. Documents are whole, secrets included; what is written of them has none. */
export interface ObjectChange {
  readonly change: Change;
  readonly definition: Definition;
  readonly id: string;
  /** How it is stored afterwards, or last was. */
  readonly storedAs: StoredAs;
  /** What the object was; absent when it was created. */
  readonly before?: Document;
  /** What the object is; absent when it was deleted. */
  readonly after?: Document;
}

/** An event as it is delivered, except for its addresses; api-decisions "Event payload". */
export interface EventPayload {
  readonly event_id: string;
  readonly event_type: string;
  readonly event_timestamp: string;
  readonly account_id: string;
  readonly principal: unknown;
  readonly object: Document;
  /** What an update changed. Secrets are named without their values. */
  readonly changes?: readonly { readonly path: string; readonly old?: unknown; readonly new?: unknown }[];
}

/** What one change is told as. */
export function eventOf(
  { change, definition, before, after }: ObjectChange,
  author: Author,
  { now, accountId, documents }: { now: Date; accountId: string; documents: Documents },
): EventPayload {
  const withoutSecrets = (document: Document) => mapSecrets(definition, document, () => undefined);
  const credential = author.keyId && { id: author.keyId, uri: documents.addressOf(definitionOf("api_key"), author.keyId) };
  return {
    event_id: newId("ev"),
    event_type: eventTypeOf(definition, change),
    event_timestamp: now.toISOString(),
    account_id: accountId,
    principal: { id: author.ownerId, subject: author.name, source: credential ? "API" : "SERVER", credential: credential ?? null },
    object: withoutSecrets((after ?? before) as Document),
    ...(before &&
      after && { changes: [...differences(withoutSecrets(before), withoutSecrets(after)), ...changedSecrets(definition, before, after)] }),
  };
}

/** The paths of the secrets that an update changed, without what they were or are. */
function changedSecrets(definition: Definition, before: Document, after: Document): { path: string }[] {
  if (!holdsSecrets(definition)) return [];
  const secretsOf = (document: Document) => {
    const secrets = new Map<string, string>();
    mapSecrets(definition, document, (secret, { id, path }) => void secrets.set(id === document.id ? path : `${id}/${path}`, secret));
    return secrets;
  };
  const [old, now] = [secretsOf(before), secretsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path)).map((path) => ({ path }));
}
