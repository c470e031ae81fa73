import { type Definition, mapSecrets, own, secretsIn } from "@tunnelplane/sdk/contract";
import type { Document } from "../documents";
import { differences } from "../journal";
import type { Item } from "./items";
import { idsToKeys } from "./keys";

/** The change of one object, in the form of answers. */
export interface ObjectOperation {
  readonly op: "create" | "update" | "replace" | "delete" | "adopt";
  readonly kind: string;
  readonly key: string;
  /** Null if the object does not exist yet. */
  readonly id: string | null;
  readonly replaced_id?: string;
  readonly changes: readonly FieldChange[];
  /** A one-time secret. */
  readonly token?: string;
}

/** A changed field with its values in their sent form. For a secret, only the path. */
interface FieldChange {
  readonly path: string;
  readonly old?: unknown;
  readonly new?: unknown;
}

/**
 * The change of an object; undefined if it stays as it is.
 * @param newNames the new objects, by id. Values name them by key, because a plan does not know their ids
 */
export function operationOf(
  item: Item,
  isChanged: boolean,
  newNames: ReadonlyMap<string, string>,
): ObjectOperation | undefined {
  const { definition, key, old, sent, isReplaced, member } = item;
  const named = (fields: Document) => idsToKeys(definition, fields, (id) => newNames.get(id));
  const about = { kind: definition.kind, key } as const;
  if (!old)
    return { op: "create", ...about, id: null, changes: changesOf(definition, {}, named(declaredOf(item))) };
  const before = item.amendment?.sentBefore ?? {};
  if (isReplaced) {
    // A value that the server will choose counts as unchanged.
    const now = {
      ...Object.fromEntries(
        Object.entries(before).filter(([field]) => !Object.hasOwn(sent, field) && isServers(item, field)),
      ),
      ...sent,
    };
    return {
      op: "replace",
      ...about,
      id: null,
      replaced_id: old.id,
      changes: changesOf(definition, before, named(now)),
    };
  }
  const changes = isChanged ? changesOf(definition, before, named(sent)) : [];
  if (!member) return { op: "adopt", ...about, id: old.id, changes };
  return isChanged ? { op: "update", ...about, id: old.id, changes } : undefined;
}

const isServers = ({ declared }: Item, field: string): boolean => !declared.includes(field);

const declaredOf = ({ declared, sent }: Item): Document =>
  Object.fromEntries(
    declared.filter((field) => own(sent, field) !== undefined).map((field) => [field, own(sent, field)]),
  );

/** The fields that differ, without the values of secrets. */
function changesOf(definition: Definition, before: Document, after: Document): FieldChange[] {
  const [old, now] = [secretsIn(definition, before), secretsIn(definition, after)];
  const secrets = [...new Set([...old.keys(), ...now.keys()])].filter(
    (path) => old.get(path) !== now.get(path),
  );
  return [
    ...differences(withoutSecrets(definition, before), withoutSecrets(definition, after)),
    ...secrets.map((path) => ({ path })),
  ];
}

const withoutSecrets = (definition: Definition, fields: Document): Document =>
  mapSecrets(definition, fields, () => undefined);
