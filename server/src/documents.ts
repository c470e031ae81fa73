import { createSchema, type Definition, definitionOfId, expandPath, marksOf, toAnswered, toSent } from "@tunnelplane/sdk/contract";

/** An object in the form that answers carry it, parsed. */
export type Document = Record<string, unknown>;

/**
 * Turns what was sent into what is stored: the very JSON that a GET answers, except that addresses
 * begin with a placeholder, because the address under which clients reach the server may change.
 */
export class Documents {
  /** @param placeholder a random text of this database that nobody outside knows, so that no stored value can contain it */
  constructor(private readonly placeholder: string) {}

  compose(definition: Definition, id: string, createdAt: string, sent: Document): Document {
    const uri = `${this.placeholder}${expandPath(definition.path, sent)}/${id}`;
    const refer = (target: string) => ({ id: target, uri: `${this.placeholder}${definitionOfId(target)?.path}/${target}` });
    return {
      id,
      uri,
      created_at: createdAt,
      ...(toAnswered(createSchema(definition), sent, { uri, refer }) as Document),
      ...unknownYet(definition),
      ...definition.derive(sent),
    };
  }

  /** The fields that would have to be sent to get this document. */
  sentOf(definition: Definition, document: Document): Document {
    return toSent(createSchema(definition), document) as Document;
  }

  /** The JSON to answer, with addresses as the client reaches them. */
  answer(json: string, baseUrl: string): string {
    return json.replaceAll(this.placeholder, baseUrl);
  }
}

/** What answers say of computed fields before anything is computed: no children, no value. */
const unknownYet = ({ computed }: Definition): Document =>
  Object.fromEntries(Object.entries(computed).map(([name, schema]) => [name, marksOf(schema).embeds ? [] : null]));
