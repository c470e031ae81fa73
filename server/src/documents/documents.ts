import {
  createSchema,
  type Definition,
  definitionOfId,
  embeddedIn,
  endedFieldOf,
  endFieldOf,
  expandPath,
  hasEnded,
  holdsSecrets,
  lacksFields,
  mapSecrets,
  marksOf,
  own,
  toAnswered,
  toSent,
  withDefaults,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Keyring } from "../secrets";
import type { Database } from "../storage";
import { inSlices } from "../util";
import { embeddedListOf, partsOf, withList, withoutList } from "./embedded";

/** Some 5 MB of ids and versions. */
const MAX_KNOWN = 50_000;

/** An object as in an answer, parsed. */
export type Document = Record<string, unknown>;

/** A text of a document, for example an id. */
export function textIn(document: Readonly<Document>, field: string): string {
  const text = own(document, field);
  if (typeof text !== "string")
    throw new Error(`${field} is not text in ${String(document.id ?? "what was sent")}`);
  return text;
}

/**
 * Turns a body into the stored document, and that into an answer. The stored document is the JSON of a GET,
 * but with sealed secrets, and with a placeholder at the start of addresses, because the server's address may
 * change.
 */
export class Documents {
  /**
   * Versions of objects that lack no field, and whether their stored text is the answer. Looking again would
   * take a third of the time of a list (2026-11-22, 2 cores, Node 24).
   */
  readonly #complete = new Map<string, { readonly isAnswer: boolean }>();

  /** @param placeholder a random, secret text of this database, so that no user's value can contain it */
  constructor(
    private readonly placeholder: string,
    private readonly keyring: Keyring,
  ) {}

  /** The JSON to store. */
  seal(definition: Definition, document: Document): string {
    return JSON.stringify(this.#toStore(definition, document));
  }

  /** The JSON to answer and the JSON to store. They are the same for an object without secrets. */
  print(definition: Definition, document: Document): { json: string; stored: string } {
    const json = JSON.stringify(document);
    const toStore = this.#toStore(definition, document);
    return { json, stored: toStore === document ? json : JSON.stringify(toStore) };
  }

  /** The document itself if nothing in it has to be sealed or left out. */
  #toStore(definition: Definition, document: Document): Document {
    const own = withoutList(definition, document);
    return mapSecrets(definition, own, (secret, { id, path }) => this.keyring.seal(`${id}/${path}`, secret));
  }

  /**
   * The JSON to answer for a stored document: with opened secrets, its embedded list, and every field of
   * today's contract.
   * @param whole the text that `wholeOf` selected
   * @param version `<id> <version>` of the object
   */
  async read(db: Kysely<Database>, definition: Definition, whole: string, version: string): Promise<string> {
    const known = this.#complete.get(version);
    if (known?.isAnswer) return whole;
    const json = await this.#openWhole(db, definition, whole);
    const isAnswer = json === whole && !mayEnd(definition, whole);
    return asOfNow(definition, known ? json : this.#completed(definition, json, version, isAnswer).json);
  }

  /** The same as it is stored, whether it has ended or not, and parsed. */
  async readToChange(
    db: Kysely<Database>,
    definition: Definition,
    whole: string,
    version: string,
  ): Promise<{ readonly json: string; readonly document: Document }> {
    const json = await this.#openWhole(db, definition, whole);
    if (this.#complete.has(version)) return { json, document: JSON.parse(json) };
    const isAnswer = json === whole && !mayEnd(definition, whole);
    return this.#completed(definition, json, version, isAnswer);
  }

  #completed(
    definition: Definition,
    json: string,
    version: string,
    isAnswer: boolean,
  ): { readonly json: string; readonly document: Document } {
    const document: Document = JSON.parse(json);
    const completed = this.complete(definition, document);
    if (completed !== document) return { json: JSON.stringify(completed), document: completed };
    if (this.#complete.size >= MAX_KNOWN) this.#complete.clear();
    this.#complete.set(version, { isAnswer });
    return { json, document };
  }

  /** Whether a page can be answered from the stored texts as they are. */
  areAnswers(versions: readonly string[]): boolean {
    return versions.every((version) => this.#complete.get(version)?.isAnswer);
  }

  /**
   * Adds defaults for fields that joined the contract after the document was stored. A stored document is not
   * rewritten before its next change, because the audit log has its digest.
   */
  complete(definition: Definition, document: Document): Document {
    let completed = document;
    for (const [name, child] of embeddedIn(definition)) {
      const children = own(document, name) as Document[] | undefined;
      const all = children?.map((one) => this.complete(child, one));
      if (all?.some((one, index) => one !== children?.[index])) completed = { ...completed, [name]: all };
    }
    const lacksComputed = Object.keys(definition.computed).some((name) => own(document, name) === undefined);
    if (!lacksComputed && !lacksFields(createSchema(definition), document)) return completed;
    const sent = withDefaults(createSchema(definition), this.sentOf(definition, document));
    const derived = lacksComputed ? definition.derive(sent) : {};
    const whole = {
      ...this.#uncomputed(definition, textIn(document, "id"), textIn(document, "created_at"), sent),
      ...derived,
    };
    return overlaid(whole, completed) as Document;
  }

  /** Opens the secrets of a stored document. @param db to load a data key that is new to this server */
  async open(db: Kysely<Database>, definition: Definition, stored: string): Promise<string> {
    return this.#isSealed(definition, stored)
      ? JSON.stringify(await this.unsealed(db, definition, stored))
      : stored;
  }

  /**
   * Whether a secret is set in stored documents: most objects of types with secrets have none, such as
   * credentials, whose token only the answer to their creation holds.
   */
  #isSealed(definition: Definition, stored: string): boolean {
    return holdsSecrets(definition) && this.keyring.mayHold(stored);
  }

  /** Only the stored document, parsed, with opened secrets. */
  async unsealed(db: Kysely<Database>, definition: Definition, stored: string): Promise<Document> {
    const unseal = (secret: string, place: { id: string; path: string }) =>
      this.keyring.open(`${place.id}/${place.path}`, secret);
    return this.keyring.opening(db, () => mapSecrets(definition, JSON.parse(stored), unseal));
  }

  /** The same for a document with its embedded list; see `embedded.ts`. */
  async #openWhole(db: Kysely<Database>, definition: Definition, whole: string): Promise<string> {
    const list = embeddedListOf(definition);
    if (!list) return this.open(db, definition, whole);
    const { own, children } = partsOf(whole);
    const opened = await inSlices(children, (child) => this.open(db, list.definition, child));
    return withList(await this.open(db, definition, own), opened);
  }

  /** An address below the server's, with the placeholder. */
  placed(path: string): string {
    return this.placeholder + path;
  }

  /** The address of an object, with the placeholder. Only for types without a parent. */
  addressOf({ path }: Pick<Definition, "path">, id: string): string {
    return `${this.placeholder}${path}/${id}`;
  }

  /** A reference to an object, as answers show it. */
  refTo(id: string): { id: string; uri: string } {
    const named = definitionOfId(id);
    return { id, uri: named ? this.addressOf(named, id) : "" };
  }

  /** @param computed the known computed fields; the others are null */
  compose(
    definition: Definition,
    id: string,
    createdAt: string,
    sent: Document,
    computed: Document = {},
  ): Document {
    return { ...this.#uncomputed(definition, id, createdAt, sent), ...computed };
  }

  #uncomputed(definition: Definition, id: string, createdAt: string, sent: Document): Document {
    const uri = `${this.placeholder}${expandPath(definition.path, sent)}/${id}`;
    // Composed before the references are checked: an id of no kind has no address, and the check will refuse
    // it.
    const answered = toAnswered(createSchema(definition), sent, { uri, refer: (to) => this.refTo(to) });
    return { id, uri, created_at: createdAt, ...answered, ...unknownYet(definition) };
  }

  /** The fields of a document that a client can send. */
  sentOf(definition: Definition, document: Document): Document {
    return toSent(createSchema(definition), document);
  }

  /** The stored computed fields of a document. */
  computedOf(definition: Definition, document: Document): Document {
    return Object.fromEntries(Object.keys(definition.computed).map((name) => [name, own(document, name)]));
  }

  /**
   * How much stored text fits into an answer of this size: the placeholder may be shorter than the address.
   */
  roomFor(bytes: number, baseUrl: string): number {
    return Math.floor(bytes * Math.min(1, this.placeholder.length / baseUrl.length));
  }

  /** Replaces the placeholder by the address that the client uses. */
  answer(json: string, baseUrl: string): string {
    return json.replaceAll(this.placeholder, () => baseUrl); // a function, because $& in a string is special
  }
}

/**
 * Whether an end is set in stored documents. In printed JSON this text stands for the name of a field and the
 * beginning of a text only: in a value, its quotes would be escaped.
 */
function mayEnd(definition: Definition, stored: string): boolean {
  const field = endFieldOf(definition);
  return field !== undefined && stored.includes(`"${field}":"`);
}

/** The JSON to answer for a document: stored ones do not say whether their object has ended. */
export const asOfNow = (definition: Definition, json: string): string =>
  isEndedIn(definition, json) ? JSON.stringify(endedAsOf(definition, JSON.parse(json))) : json;

/** Whether the object of a document has ended, whatever the document says. @param json of the document */
export const isEndedIn = (definition: Definition, json: string): boolean =>
  mayEnd(definition, json) && hasEnded(definition, JSON.parse(json), Date.now());

/** The same, parsed; the document itself where the object has not ended. */
export function endedAsOf(definition: Definition, document: Document, now = Date.now()): Document {
  const field = endedFieldOf(definition);
  return field !== undefined && hasEnded(definition, document, now)
    ? { ...document, [field]: true }
    : document;
}

/** Computed fields before anything is computed: empty lists and nulls. */
const unknownYet = ({ computed }: Definition): Document =>
  Object.fromEntries(
    Object.entries(computed).map(([name, schema]) => [name, marksOf(schema).embeds ? [] : null]),
  );

/** Merges one value over another at every depth. Both come from one document, so their lists correspond. */
function overlaid(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (below === null || above === null || typeof below !== "object" || typeof above !== "object")
    return above;
  if (Array.isArray(above)) return above.map((item, index) => overlaid((below as unknown[])[index], item));
  const merged: Document = {};
  for (const name of new Set([...Object.keys(below), ...Object.keys(above)]))
    merged[name] = overlaid(own(below as Document, name), own(above as Document, name));
  return merged;
}
