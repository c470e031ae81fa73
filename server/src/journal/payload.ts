import type { Answers } from "@tunnelplane/sdk";
import {
  type Change,
  type Definition,
  definitionOf,
  eventTypeOf,
  formatPath,
  holdsSecrets,
  isObject,
  type Kind,
  mapSecrets,
  own,
} from "@tunnelplane/sdk/contract";
import { type Document, type Documents, endedAsOf } from "../documents";
import { isSession, newId } from "../util";
import type { StoredAs } from "./digests";

/** The author of a change: who made it, how, and from where. */
export interface Author {
  /** The user or bot. */
  readonly ownerId: string;
  readonly name: string;
  /** The API key or session that was used; absent if the server itself acts. */
  readonly keyId?: string;
  /** The request's id in the log. */
  readonly operationId: string;
  /** The client's address. */
  readonly client?: string;
}

/** The author of changes on the command line, which has no API key. */
export const commandLine = (): Author => ({
  ownerId: "command-line",
  name: "command line",
  operationId: newId("op"),
});

/** The author of what the server does by itself. */
export const theServer = (): Author => ({ ownerId: "server", name: "server", operationId: newId("op") });

/** One change of one object. Its documents include secrets; the event and the audit row leave them out. */
export interface ObjectChange {
  readonly change: Change;
  readonly definition: Definition;
  readonly id: string;
  /** Its stored columns after the change, or before a deletion. */
  readonly storedAs: StoredAs;
  /** The object before; absent on creation. */
  readonly before?: Document;
  /** The object after; absent on deletion. */
  readonly after?: Document;
  /** The JSON of `after`, if it was printed already. */
  readonly json?: string;
  /** Its name in the program, for people; events do not say it. */
  readonly name?: string | null;
}

/** Whether a change is one of this kind of object; its documents then have that kind's type. */
export const isChangeOf = <K extends Kind>(
  change: ObjectChange,
  kind: K,
): change is ObjectChange & { readonly before?: Answers[K]; readonly after?: Answers[K] } =>
  change.definition.kind === kind;

/** An event as it is delivered, except for its addresses. */
export interface EventPayload {
  readonly event_id: string;
  readonly event_type: string;
  readonly event_timestamp: string;
  readonly account_id: string;
  readonly principal: unknown;
  readonly object: Document;
  /** The fields that an update changed. Secrets appear without their values. */
  readonly changes?: readonly { readonly path: string; readonly old?: unknown; readonly new?: unknown }[];
}

/**
 * The JSON of an event. The object's own JSON is taken as it is, where the event leaves nothing out of it.
 */
export function printEvent(
  { object, changes, ...event }: EventPayload,
  { after, json }: ObjectChange,
): string {
  const printed = object === after && json !== undefined ? json : JSON.stringify(object);
  return `${JSON.stringify(event).slice(0, -1)},"object":${printed}${changes ? `,"changes":${JSON.stringify(changes)}` : ""}}`;
}

interface EventFacts {
  readonly now: Date;
  readonly accountId: string;
  readonly documents: Documents;
}

/** Composes an event about something that no program declares. */
export function eventAbout(
  { type, object }: { readonly type: string; readonly object: Document },
  author: Author,
  { now, accountId, documents }: EventFacts,
): EventPayload {
  const credential = author.keyId && credentialOf(documents, author.keyId);
  return {
    event_id: newId("ev"),
    event_type: type,
    event_timestamp: now.toISOString(),
    account_id: accountId,
    principal: {
      id: author.ownerId,
      subject: author.name,
      source: credential ? "API" : "SERVER",
      credential: credential ?? null,
    },
    object,
  };
}

/** Composes the event of a change. */
export function eventOf(
  { change, definition, before, after }: ObjectChange,
  author: Author,
  facts: EventFacts,
): EventPayload {
  const withoutSecrets = (document: Document) => mapSecrets(definition, document, () => undefined);
  const object = withoutSecrets(
    endedAsOf(
      definition,
      after ?? before ?? {},
      // Also where the clock went back since.
      change === "expired" ? Number.POSITIVE_INFINITY : facts.now.getTime(),
    ),
  );
  return {
    ...eventAbout({ type: eventTypeOf(definition, change), object }, author, facts),
    ...(before &&
      after && {
        changes: [
          ...differences(withoutSecrets(before), withoutSecrets(after)),
          ...changedSecrets(definition, before, after),
        ],
      }),
  };
}

/** The API key or session that was used, as events show it. */
export function credentialOf(documents: Documents, keyId: string): { id: string; uri: string } {
  const list = isSession(keyId) ? { path: "/sessions" } : definitionOf("api_key");
  return { id: keyId, uri: documents.addressOf(list, keyId) };
}

/** The paths of the secrets that an update changed, without values. */
function changedSecrets(definition: Definition, before: Document, after: Document): { path: string }[] {
  if (!holdsSecrets(definition)) return [];
  const secretsOf = (document: Document) => {
    const secrets = new Map<string, string>();
    mapSecrets(
      definition,
      document,
      (secret, { id, path }) => void secrets.set(id === document.id ? path : `${id}/${path}`, secret),
    );
    return secrets;
  };
  const [old, now] = [secretsOf(before), secretsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => ({ path }));
}

/** A value that an update changed: its path, old and new value. Null means not set. */
export interface Difference {
  readonly path: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** Compares two objects field by field; lists are compared as a whole. */
export function differences(before: unknown, after: unknown, path: string[] = []): Difference[] {
  if (Object.is(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(own(before, name), own(after, name), [...path, name]));
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path: formatPath(path), old: before ?? null, new: after ?? null }];
}
