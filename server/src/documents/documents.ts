import {
  createSchema,
  type Definition,
  definitionOfId,
  embeddedIn,
  expandPath,
  holdsSecrets,
  lacksFields,
  mapSecrets,
  marksOf,
  toAnswered,
  toSent,
  withDefaults,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Keyring } from "../secrets";
import type { Database } from "../storage";
import { inSlices } from "../util";
import { embeddedListOf, leavesList, partsOf, withList, withoutList } from "./embedded";

/** Some 5 MB of ids and versions. */
const MOST_KNOWN_COMPLETE = 50_000;

/** An object in the form that answers carry it, parsed. */
export type Document = Record<string, unknown>;

/**
 * Turns what was sent into what is stored: the very JSON that a GET answers, except that secrets are sealed, and that
 * addresses begin with a placeholder, because the address under which clients reach the server may change.
 */
export class Documents {
  /** Objects that lack no field in a version: to look takes a third as long as to answer a list (measured 2026-11-22 on 2 cores, Node 24). */
  readonly #complete = new Set<string>();

  /** @param placeholder a random text of this database that nobody outside knows, so that no stored value can contain it */
  constructor(
    private readonly placeholder: string,
    private readonly keyring: Keyring,
  ) {}

  /** The JSON to store. */
  seal(definition: Definition, document: Document): string {
    const own = withoutList(definition, document);
    return JSON.stringify(mapSecrets(definition, own, (secret, { id, path }) => this.keyring.seal(`${id}/${path}`, secret)));
  }

  /** The JSON to answer, and the JSON to store; most kinds have no secrets, so that they are the same. */
  print(definition: Definition, document: Document): { json: string; stored: string } {
    const json = JSON.stringify(document);
    const isSame = !holdsSecrets(definition) && !embeddedListOf(definition);
    return { json, stored: isSame ? json : this.seal(definition, document) };
  }

  /**
   * The JSON to answer for what was stored: its secrets as they are, the objects of its list, and every field that the contract has today.
   * @param whole what `wholeOf` asked the database for
   * @param version `<id> <version>` of the object
   */
  async read(db: Kysely<Database>, definition: Definition, whole: string, version: string): Promise<string> {
    const json = await this.#openWhole(db, definition, whole);
    if (this.#complete.has(version)) return json;
    const document = JSON.parse(json) as Document;
    const completed = this.complete(definition, document);
    if (completed !== document) return JSON.stringify(completed);
    if (this.#complete.size >= MOST_KNOWN_COMPLETE) this.#complete.clear();
    this.#complete.add(version);
    return json;
  }

  /** Whether the documents of a page are known to be answered as they are stored. */
  areAsRead(definition: Definition, versions: readonly string[]): boolean {
    return !holdsSecrets(definition) && !embeddedListOf(definition) && versions.every((version) => this.#complete.has(version));
  }

  /**
   * A document with the defaults of the fields that were added to the contract since it was stored; the same where it lacks none.
   * What is stored stays as it is until it is changed: servers of an older version may write to the same database at any time,
   * so whoever reads has to look anyway.
   */
  complete(definition: Definition, document: Document): Document {
    let completed = document;
    for (const [name, child] of embeddedIn(definition)) {
      const children = document[name] as Document[] | undefined;
      const all = children?.map((one) => this.complete(child, one));
      if (all?.some((one, index) => one !== children?.[index])) completed = { ...completed, [name]: all };
    }
    const lacksComputed = Object.keys(definition.computed).some((name) => document[name] === undefined);
    if (!lacksComputed && !lacksFields(createSchema(definition), document)) return completed;
    const sent = withDefaults(createSchema(definition), this.sentOf(definition, document));
    const derived = lacksComputed ? definition.derive(sent) : {};
    const whole = { ...this.#uncomputed(definition, document.id as string, document.created_at as string, sent), ...derived };
    return overlaid(whole, completed) as Document;
  }

  /** The JSON that was stored, with its secrets as they are. @param db where a data key is found that is new to this server */
  async open(db: Kysely<Database>, definition: Definition, stored: string): Promise<string> {
    return holdsSecrets(definition) ? JSON.stringify(await this.unsealed(db, definition, stored)) : stored;
  }

  /** What was stored and nothing besides, parsed, with its secrets as they are. */
  async unsealed(db: Kysely<Database>, definition: Definition, stored: string): Promise<Document> {
    const unseal = (secret: string, place: { id: string; path: string }) => this.keyring.open(`${place.id}/${place.path}`, secret);
    return this.keyring.opening(db, () => mapSecrets(definition, JSON.parse(stored), unseal));
  }

  /** The same of a row that the database was asked for with what its document shows of other objects; see `embedded`. */
  async #openWhole(db: Kysely<Database>, definition: Definition, whole: string): Promise<string> {
    const list = embeddedListOf(definition);
    if (!list) return this.open(db, definition, whole);
    const { own, children } = partsOf(whole);
    const opened = await inSlices(leavesList(list, own) ? children : [], (child) => this.open(db, list.definition, child));
    return withList(list, await this.open(db, definition, own), opened);
  }

  /** The address of an object, with the placeholder; of kinds whose path names no other object. */
  addressOf({ path }: Definition, id: string): string {
    return `${this.placeholder}${path}/${id}`;
  }

  /** @param computed the computed fields that are known: derived, by a behaviour, or from before; others are null */
  compose(definition: Definition, id: string, createdAt: string, sent: Document, computed: Document = {}): Document {
    return { ...this.#uncomputed(definition, id, createdAt, sent), ...computed };
  }

  #uncomputed(definition: Definition, id: string, createdAt: string, sent: Document): Document {
    const uri = `${this.placeholder}${expandPath(definition.path, sent)}/${id}`;
    const refer = (target: string) => ({ id: target, uri: this.addressOf(definitionOfId(target) as Definition, target) });
    const answered = toAnswered(createSchema(definition), sent, { uri, refer }) as Document;
    return { id, uri, created_at: createdAt, ...answered, ...unknownYet(definition) };
  }

  /** The fields that would have to be sent to get this document. */
  sentOf(definition: Definition, document: Document): Document {
    return toSent(createSchema(definition), document) as Document;
  }

  /** The computed fields of a document, as far as they are kept. */
  computedOf(definition: Definition, document: Document): Document {
    return Object.fromEntries(Object.keys(definition.computed).map((name) => [name, document[name]]));
  }

  /**
   * How much stored text makes an answer of no more than so many bytes: addresses may be longer than what stands for them.
   */
  roomFor(bytes: number, baseUrl: string): number {
    return Math.floor(bytes * Math.min(1, this.placeholder.length / baseUrl.length));
  }

  /** The JSON to answer, with addresses as the client reaches them. */
  answer(json: string, baseUrl: string): string {
    return json.replaceAll(this.placeholder, () => baseUrl); // as it is: in a text, $& would mean something
  }
}

/** What answers say of computed fields before anything is computed: no children, no value. */
const unknownYet = ({ computed }: Definition): Document =>
  Object.fromEntries(Object.entries(computed).map(([name, schema]) => [name, marksOf(schema).embeds ? [] : null]));

/** A value with what another lies on top of it says, at every depth. Both come from one document, so their lists correspond. */
function overlaid(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (below === null || above === null || typeof below !== "object" || typeof above !== "object") return above;
  if (Array.isArray(above)) return above.map((item, index) => overlaid((below as unknown[])[index], item));
  const merged: Document = {};
  for (const name of new Set([...Object.keys(below), ...Object.keys(above)]))
    merged[name] = overlaid((below as Document)[name], (above as Document)[name]);
  return merged;
}
