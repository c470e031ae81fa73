import { hash } from "node:crypto";
import { type Definition, fieldOf, marksOf } from "@tunnelplane/sdk/contract";
import { type Answer, type Document, type Page, textIn } from "../documents";
import { BodyError, quoted, RequestError, refuseFaults } from "../util";
import { close, noLongerLacked, toClose } from "./closing";
import { shownTo } from "./shown";
import { type Created, type ObjectPath, type Precondition, StoredObjects } from "./stored";
import { type ChangeRequest, type ServerContext, Transactions } from "./transaction";

/** Reads and changes subresources: modules, and the entries of lists. */
export class Subresources {
  readonly #objects: StoredObjects;
  readonly #transactions: Transactions;

  constructor(
    private readonly context: ServerContext,
    private readonly request: ChangeRequest,
  ) {
    this.#objects = new StoredObjects(context, request);
    this.#transactions = new Transactions(context, request);
  }

  async getModule(definition: Definition, at: ObjectPath, name: string): Promise<Answer> {
    const { document } = await this.#objects.load(this.context.store.reader, definition, at);
    const { [name]: module }: Document = JSON.parse(document);
    if (module === null) throw noModule(definition, at.id, name);
    return partAnswer(module);
  }

  async replaceModule(
    definition: Definition,
    at: ObjectPath,
    name: string,
    body: unknown,
    precondition: Precondition,
  ): Promise<Answer> {
    const { value } = await this.#objects.validate(
      { kind: definition.kind, what: "module", field: name },
      body,
    );
    return this.#transactions.run(async (transaction, changes) => {
      const stored = await this.#objects.loadToChange(transaction, definition, at);
      preconditionOnModule(precondition, this.#shown(definition, stored.before)[name]);
      const saved = await this.#objects
        .save(transaction, changes, definition, stored, { [name]: value })
        .catch((error: unknown) => {
          throw error instanceof BodyError ? error.within(name) : error;
        });
      await noLongerLacked(this.context, transaction, changes, definition, saved.after, [name]);
      return partAnswer(this.#shown(definition, saved.after)[name]);
    });
  }

  /**
   * Removes a module, or another optional field.
   *
   * @param name its name in answers
   * @param closes the id of the object to close, because it will be deleted next
   */
  async removePart(
    definition: Definition,
    at: ObjectPath,
    { field, name }: { readonly field: string; readonly name: string },
    precondition: Precondition,
    closes?: string,
  ): Promise<void> {
    const whole = toClose(definition, at, true, closes);
    return this.#transactions.run(async (transaction, changes) => {
      const stored = await this.#objects.loadToChange(transaction, definition, at);
      const { [name]: part } = this.#shown(definition, stored.before);
      preconditionOnModule(precondition, part);
      if (part === null && !marksOf(fieldOf(definition, field)).module)
        throw new RequestError(
          "no_module",
          `${definition.title} ${at.id} has no ${name}; nothing was changed`,
        );
      if (part === null && whole) return;
      const closing = whole?.id === at.id ? [field] : [];
      await this.#objects.save(transaction, changes, definition, stored, { [field]: undefined }, { closing });
      const { before } = stored;
      if (!whole) await noLongerLacked(this.context, transaction, changes, definition, before, [field]);
      else if (whole.id !== at.id)
        await close(this.context, transaction, changes, whole, { definition, document: before, field });
    });
  }

  #shown(definition: Definition, document: Document): Document {
    return shownTo(this.request.caller, definition, document);
  }

  async listEntries(definition: Definition, at: ObjectPath, name: string): Promise<Page> {
    const { document } = await this.#objects.load(this.context.store.reader, definition, at);
    return {
      documents: entriesOf(JSON.parse(document), name).map((entry) => JSON.stringify(entry)),
      nextBefore: null,
    };
  }

  async getEntry(definition: Definition, at: ObjectPath, name: string): Promise<Answer> {
    const { document } = await this.#objects.load(this.context.store.reader, definition, at);
    const key = keyOf(definition, name);
    const entry = entriesOf(JSON.parse(document), name).find((candidate) => candidate[key] === at[key]);
    if (!entry) throw noEntry(definition, at, name);
    return partAnswer(entry);
  }

  async addEntry(definition: Definition, at: ObjectPath, name: string, body: unknown): Promise<Created> {
    const answered = await this.#transactions.answeredBefore<Created>();
    if (answered) return answered;
    const { value } = await this.#objects.validate(
      { kind: definition.kind, what: "entry", field: name },
      body,
    );
    const key = keyOf(definition, name);
    return this.#transactions.run(async (transaction, changes) => {
      const stored = await this.#objects.loadToChange(transaction, definition, at);
      const present = entriesOf(stored.before, name);
      if (present.some((entry) => entry[key] === value[key])) {
        refuseFaults([{ error: "taken", path: [key], message: `is one of the ${name} already` }]);
      }
      const saved = await this.#objects.save(transaction, changes, definition, stored, {
        [name]: [...present.map(({ uri, ...entry }) => entry), value],
      });
      return { id: textIn(value, key), ...partAnswer(entriesOf(saved.after, name).at(-1)) };
    });
  }

  async removeEntry(
    definition: Definition,
    at: ObjectPath,
    name: string,
    precondition: Precondition,
  ): Promise<void> {
    const key = keyOf(definition, name);
    return this.#transactions.run(async (transaction, changes) => {
      const stored = await this.#objects.loadToChange(transaction, definition, at);
      const present = entriesOf(stored.before, name);
      const removed = present.find((entry) => entry[key] === at[key]);
      if (!removed) throw noEntry(definition, at, name);
      precondition(partAnswer(removed).etag);
      const left = present.filter((entry) => entry !== removed).map(({ uri, ...entry }) => entry);
      await this.#objects.save(transaction, changes, definition, stored, { [name]: left });
    });
  }
}

function preconditionOnModule(precondition: Precondition, module: unknown): void {
  precondition(module === null ? undefined : partAnswer(module).etag);
}

const noModule = (definition: Definition, id: string, name: string): RequestError =>
  new RequestError(
    "no_module",
    `${definition.title} ${id} has no ${name} configured; PUT it here to configure it`,
  );

const entriesOf = (document: Document, name: string): Document[] =>
  (document as Record<string, Document[]>)[name] ?? [];

const keyOf = (definition: Definition, name: string): string =>
  marksOf(fieldOf(definition, name)).entries?.key ?? "id";

const noEntry = (definition: Definition, at: ObjectPath, name: string): RequestError =>
  new RequestError(
    "not_found",
    `${quoted(String(at[keyOf(definition, name)]))} is none of the ${name} of ${definition.title} ${at.id}`,
  );

/** A subresource has no version of its own, so its ETag is a hash of its content. */
export function partAnswer(part: unknown): Answer {
  const json = JSON.stringify(part);
  return { json, etag: `"${hash("sha256", json, "base64url").slice(0, 22)}"` };
}
