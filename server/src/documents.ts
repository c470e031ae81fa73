import {
  createSchema,
  type Definition,
  definitionOfId,
  expandPath,
  holdsSecrets,
  mapSecrets,
  marksOf,
  toAnswered,
  toSent,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Keyring } from "./sealing/keyring";
import type { Database } from "./storage/schema";

/** An object in the form that answers carry it, parsed. */
export type Document = Record<string, unknown>;

/**
 * Turns what was sent into what is stored: the very JSON that a GET answers, except that secrets are sealed, and that
 * addresses begin with a placeholder, because the address under which clients reach the server may change.
 */
export class Documents {
  /** @param placeholder a random text of this database that nobody outside knows, so that no stored value can contain it */
  constructor(
    private readonly placeholder: string,
    private readonly keyring: Keyring,
  ) {}

  /** The JSON to store. */
  seal(definition: Definition, document: Document): string {
    return JSON.stringify(mapSecrets(definition, document, (secret, { id, path }) => this.keyring.seal(`${id}/${path}`, secret)));
  }

  /** The JSON to answer, and the JSON to store; most kinds have no secrets, so that they are the same. */
  print(definition: Definition, document: Document): { json: string; stored: string } {
    const json = JSON.stringify(document);
    return { json, stored: holdsSecrets(definition) ? this.seal(definition, document) : json };
  }

  /** The JSON that was stored, with its secrets as they are. @param db where a data key is found that is new to this server */
  async open(db: Kysely<Database>, definition: Definition, stored: string): Promise<string> {
    if (!holdsSecrets(definition)) return stored;
    const unseal = (secret: string, place: { id: string; path: string }) => this.keyring.open(`${place.id}/${place.path}`, secret);
    return this.keyring.opening(db, () => JSON.stringify(mapSecrets(definition, JSON.parse(stored), unseal)));
  }

  /** The address of an object, with the placeholder; of kinds whose path names no other object. */
  addressOf({ path }: Definition, id: string): string {
    return `${this.placeholder}${path}/${id}`;
  }

  /** @param computed the computed fields that are known, by a behaviour or from before; others are derived from what was sent, or null */
  compose(definition: Definition, id: string, createdAt: string, sent: Document, computed: Document = {}): Document {
    const uri = `${this.placeholder}${expandPath(definition.path, sent)}/${id}`;
    const refer = (target: string) => ({ id: target, uri: this.addressOf(definitionOfId(target) as Definition, target) });
    return {
      id,
      uri,
      created_at: createdAt,
      ...(toAnswered(createSchema(definition), sent, { uri, refer }) as Document),
      ...unknownYet(definition),
      ...computed,
      ...definition.derive(sent),
    };
  }

  /** The fields that would have to be sent to get this document. */
  sentOf(definition: Definition, document: Document): Document {
    return toSent(createSchema(definition), document) as Document;
  }

  /** The computed fields of a document, as far as they are kept. */
  computedOf(definition: Definition, document: Document): Document {
    return Object.fromEntries(Object.keys(definition.computed).map((name) => [name, document[name]]));
  }

  /** The JSON to answer, with addresses as the client reaches them. */
  answer(json: string, baseUrl: string): string {
    return json.replaceAll(this.placeholder, () => baseUrl); // as it is: in a text, $& would mean something
  }
}

/** What answers say of computed fields before anything is computed: no children, no value. */
const unknownYet = ({ computed }: Definition): Document =>
  Object.fromEntries(Object.entries(computed).map(([name, schema]) => [name, marksOf(schema).embeds ? [] : null]));
