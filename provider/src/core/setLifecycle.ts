import { createHash } from "node:crypto";
import {
  ApiError,
  type ChangeSetRequest,
  type ChangeSetResult,
  ChangeSets,
  NotFoundError,
  type SetObject,
  type Transport,
} from "@tunnelplane/sdk";
import { ERRORS, MAX_SET_OBJECTS, own } from "@tunnelplane/sdk/contract";
import { idempotencyKeyOf } from "./creation";

/** Most objects that one message names. */
const MAX_NAMED = 20;
/** How often an answer may turn out to belong to a set that was deleted. */
const MAX_TRIES = 10;

/** A set as a program declares it: the fields of each object, by `<kind>/<key>`. */
export interface DeclaredSet {
  readonly set: string;
  readonly objects: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A set in the state. */
export interface RecordedSet {
  readonly set: string;
  /** By `<kind>/<key>`. */
  readonly ids: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, string>>;
  /** The digest of the last apply. */
  readonly digest: string;
  /** The server that has it; see server.ts. */
  readonly __server?: string;
  /** The project that has it; see project.ts. */
  readonly __project?: string;
}

/** The lifecycle of a catalogue as one resource, independent of its host. */
export class SetLifecycle {
  /** The plan of an apply; refuses what the apply would refuse. */
  async plan(
    transport: Transport,
    declared: DeclaredSet,
    { ids }: Pick<RecordedSet, "ids">,
  ): Promise<ChangeSetResult> {
    const planned = await new ChangeSets(transport).plan(requestOf(declared, MAX_SET_OBJECTS));
    refuseForeign(
      declared.set,
      planned.operations.filter(({ op }) => op === "delete"),
      ids,
    );
    return planned;
  }

  create(transport: Transport, declared: DeclaredSet, intent: string | undefined): Promise<RecordedSet> {
    return this.#apply(transport, declared, { set: declared.set, ids: {}, tokens: {}, digest: "" }, intent);
  }

  /** Deletes only objects that the state records and the program no longer declares. */
  update(
    transport: Transport,
    recorded: RecordedSet,
    declared: DeclaredSet,
    intent: string | undefined,
  ): Promise<RecordedSet> {
    return this.#apply(transport, declared, recorded, intent);
  }

  /** The set as it is now; undefined if it is gone. */
  async read(transport: Transport, recorded: RecordedSet): Promise<RecordedSet | undefined> {
    try {
      const { objects } = await new ChangeSets(transport).get(recorded.set);
      const ids = Object.fromEntries(objects.map(({ kind, key, id }) => [`${kind}/${key}`, id]));
      const isSame = ([name]: [string, string]) => own(ids, name) === own(recorded.ids, name);
      return { ...recorded, ids, tokens: Object.fromEntries(Object.entries(recorded.tokens).filter(isSame)) };
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /** Deletes the objects that the state records, and releases the set. */
  async delete(transport: Transport, { set, ids }: RecordedSet): Promise<void> {
    const changeSets = new ChangeSets(transport);
    try {
      refuseForeign(set, (await changeSets.get(set)).objects, ids);
      await changeSets.apply({ set, mode: "own", max_deletes: Object.keys(ids).length, objects: [] });
      await changeSets.release(set);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  async #apply(
    transport: Transport,
    declared: DeclaredSet,
    recorded: RecordedSet,
    intent: string | undefined,
  ): Promise<RecordedSet> {
    const left = Object.keys(recorded.ids).filter((name) => !Object.hasOwn(declared.objects, name));
    const request = requestOf(declared, left.length);
    const changeSets = new ChangeSets(transport);
    // By itself, a number could allow the deletion of another owner's object, if one of ours is gone already.
    if (left.length > 0) await this.#refuseForeignLeft(changeSets, declared, recorded);
    for (let earlier = 0; ; earlier++) {
      const idempotencyKey =
        intent === undefined
          ? undefined
          : idempotencyKeyOf(intent, [digestOf(request), recorded.digest, earlier]);
      const { body, replayed } = await changeSets
        .applyAnswered(request, { idempotencyKey })
        .catch((error: unknown) => {
          throw isTooManyDeletes(error) ? foreignError(declared.set, namesIn(error)) : error;
        });
      const now = recordOf(recorded, declared, body);
      // A repeated answer may belong to a set that was destroyed meanwhile.
      if (!replayed || earlier === MAX_TRIES) return now;
      const found = await this.read(transport, now);
      if (found && Object.entries(now.ids).every(([name, id]) => own(found.ids, name) === id)) return now;
    }
  }

  async #refuseForeignLeft(
    changeSets: ChangeSets,
    { set, objects: declared }: DeclaredSet,
    { ids }: RecordedSet,
  ): Promise<void> {
    try {
      const { objects } = await changeSets.get(set);
      refuseForeign(
        set,
        objects.filter((object) => !Object.hasOwn(declared, nameOf(object))),
        ids,
      );
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
}

type Named = Pick<SetObject, "kind" | "key">;
const nameOf = ({ kind, key }: Named): string => `${kind}/${key}`;

/** Refuses to delete objects that the state does not record. */
function refuseForeign(
  set: string,
  going: readonly (Named & { readonly id: string | null })[],
  ids: RecordedSet["ids"],
): void {
  const foreign = going.filter((object) => own(ids, nameOf(object)) !== object.id).map(nameOf);
  if (foreign.length > 0) throw foreignError(set, foreign);
}

function foreignError(set: string, names: readonly string[]): Error {
  const named = names.slice(0, MAX_NAMED).join(", ");
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return new Error(
    `the change set ${set} has objects that this stack did not put there and does not delete: ${named}${more}; declare them in the catalogue, or delete them on the server`,
  );
}

const isTooManyDeletes = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  error.faults.length > 0 &&
  error.faults.every(({ error_code }) => error_code === ERRORS.too_many_deletes.code);
const namesIn = ({ faults }: ApiError): string[] => faults.map(({ key }) => key);

const requestOf = ({ set, objects }: DeclaredSet, most: number): ChangeSetRequest => ({
  set,
  mode: "own",
  max_deletes: most,
  objects: Object.entries(objects).map(([name, fields]): SetObject => {
    const [kind, key] = [name.slice(0, name.indexOf("/")), name.slice(name.indexOf("/") + 1)];
    return { kind: kind as SetObject["kind"], key, fields };
  }),
});

function recordOf(
  recorded: RecordedSet,
  { set, objects }: DeclaredSet,
  { operations, digest }: ChangeSetResult,
): RecordedSet {
  const [ids, tokens] = [new Map(Object.entries(recorded.ids)), new Map(Object.entries(recorded.tokens))];
  for (const { op, kind, key, id, token } of operations) {
    const name = `${kind}/${key}`;
    if (op !== "update") tokens.delete(name);
    if (op === "delete") ids.delete(name);
    else if (id !== null) ids.set(name, id);
    if (token !== undefined) tokens.set(name, token);
  }
  const isDeclared = ([name]: [string, string]) => Object.hasOwn(objects, name);
  return {
    set,
    digest,
    ids: Object.fromEntries([...ids].filter(isDeclared)),
    tokens: Object.fromEntries([...tokens].filter(isDeclared)),
  };
}

/** 128 bits for the declared values. */
export const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
