import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import { type Database, statement, type Transaction } from "../storage";
import type { MasterKey } from "./masterKey";
import { derive, open, seal } from "./seal";

/** The start of every sealed text. */
const MARK = "sealed:";
const SEALED_IN_JSON = `"${MARK}`;

interface DataKey {
  readonly id: string;
  readonly bytes: Buffer;
  /** Signs the head of the audit log, and the rows of the inbox. */
  readonly mac: KeyObject;
}

/** A sealed text cannot be opened: it was changed or moved, or its key is missing. */
export class SealBroken extends Error {}

/** The data key changed while this writer worked: run its work again. */
export class KeyRotated extends Error {
  constructor() {
    super("The data key was rotated meanwhile");
  }
}

/**
 * The data keys, which seal secrets. The database keeps them wrapped under the master key, so that they can
 * be rotated while servers run: each server reads new ones from the database.
 */
export class Keyring {
  readonly #keys = new Map<string, DataKey>();
  #current: DataKey | undefined;

  constructor(private readonly master: MasterKey) {}

  /** The id of the key that seals. */
  get currentId(): string {
    return this.#sealer.id;
  }

  /** Reads the keys from the database. Throws if none is wrapped under this master key. */
  async load(db: Kysely<Database>): Promise<void> {
    // Read which key is in use first. Even if a rotation comes in between, the keys read afterwards include
    // it.
    const { key_id } = await db.selectFrom("audit_head").select("key_id").executeTakeFirstOrThrow(headIsGone);
    const rows = await db.selectFrom("sealing_key").selectAll().orderBy("created_at").execute();
    for (const { id, master_id, wrapped } of rows) {
      if (master_id === this.master.id && !this.#keys.has(id)) this.#add(id, this.#unwrap(id, wrapped));
    }
    this.#current = this.#keys.get(key_id) ?? this.#current;
    if (this.#current?.id !== key_id) {
      throw new SealBroken(
        `The secrets of this database are sealed under another master key than the one given (${this.master.id}); it was ${[...new Set(rows.map((row) => row.master_id))].join(" or ")}. Set TUNNELPLANE_MASTER_KEY or --master-key-file to the right one`,
      );
    }
  }

  /**
   * Checks which key is in use. Call this in every transaction that seals, so that no secret stays sealed
   * under a key that a rotation removes: a rotation is the only writer, so the answer holds until the
   * transaction ends.
   *
   * @param begunUnder the key in use when the transaction began; a read in between may have loaded a newer
   *   one
   * @throws KeyRotated when another key is in use now
   */
  async requireCurrent(transaction: Transaction, begunUnder: string): Promise<void> {
    await this.#requireKey(transaction, begunUnder, await keyInUse(transaction, {}));
  }

  /**
   * The same, and locks the head of the audit log: the transaction has the log's end to itself.
   *
   * @param begunUnder as for {@link requireCurrent}
   * @throws KeyRotated when another key is in use now
   */
  async lockHead(transaction: Transaction, begunUnder: string): Promise<Database["audit_head"]> {
    const found = await lockedHead(transaction, {});
    return this.#requireKey(transaction, begunUnder, found);
  }

  async #requireKey<T extends { key_id: string }>(
    transaction: Transaction,
    begunUnder: string,
    [head]: readonly T[],
  ): Promise<T> {
    if (!head) throw new Error("The audit log has no beginning: the row of audit_head is missing");
    if (head.key_id === begunUnder) return head;
    await this.load(transaction);
    throw new KeyRotated();
  }

  /**
   * Makes a new key and returns its id. It is used once the database names it as the key in use; see {@link
   * load}.
   */
  make(): string {
    const id = randomBytes(9).toString("base64url");
    this.#add(id, randomBytes(32));
    return id;
  }

  /** The database row of a key, wrapped under a master key. */
  rowOf(id: string, master = this.master): Database["sealing_key"] {
    const wrapped = seal(master.bytes, `sealing_key/${id}`, this.#key(id).bytes.toString("base64url"));
    return { id, master_id: master.id, wrapped, created_at: new Date().toISOString() };
  }

  /**
   * @param location what the text is bound to, for example `<id of the object>/<path of the field>`
   * @param keyId the key to seal under; default: the one in use
   */
  seal(location: string, text: string, keyId?: string): string {
    const { id, bytes } = keyId === undefined ? this.#sealer : this.#key(keyId);
    return `${MARK}${id}.${seal(bytes, location, text)}`;
  }

  /** Opens a sealed text. */
  open(location: string, stored: string): string {
    const [, id, sealed] = SEALED.exec(stored) ?? [];
    if (id === undefined || sealed === undefined)
      throw new SealBroken(`The secret at ${location} is not sealed: it was changed in the database`);
    const key = this.#keys.get(id);
    if (!key) throw new UnknownKey(id);
    try {
      return open(key.bytes, location, sealed);
    } catch (error) {
      throw new SealBroken(
        `The secret at ${location} cannot be opened: it was changed or moved in the database`,
        { cause: error },
      );
    }
  }

  /**
   * Runs work that opens texts; if their key is unknown, loads the keys and tries again, because another
   * process may have rotated.
   */
  async opening<T>(db: Kysely<Database>, work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UnknownKey)) throw error;
      await this.load(db);
      return work();
    }
  }

  /** A pattern for SQL's `like` that matches texts sealed under the key in use. */
  get currentPattern(): string {
    return `${MARK}${this.currentId}.%`;
  }

  /** Whether there may be a sealed text in a stored JSON; false only if there is none. */
  mayHold(json: string): boolean {
    return json.includes(SEALED_IN_JSON);
  }

  /** Whether a stored text is sealed under the key in use. */
  isCurrent(stored: string): boolean {
    return stored.startsWith(`${MARK}${this.currentId}.`);
  }

  /** A signature that only holders of a data key can make. */
  sign(keyId: string, text: string): string {
    return createHmac("sha256", this.#key(keyId).mac).update(text).digest("base64url");
  }

  /** Whether a holder of this data key signed the text; false for a key that the database does not have. */
  async verifies(db: Kysely<Database>, keyId: string, text: string, signature: string): Promise<boolean> {
    if (!this.#keys.has(keyId)) await this.load(db);
    return this.#keys.has(keyId) && this.isSigned(keyId, text, signature);
  }

  isSigned(keyId: string, text: string, signature: string): boolean {
    const [expected, found] = [Buffer.from(this.sign(keyId, text)), Buffer.from(signature)];
    return expected.length === found.length && timingSafeEqual(expected, found);
  }

  get #sealer(): DataKey {
    if (!this.#current) throw new Error("The keyring was not loaded");
    return this.#current;
  }

  #key(id: string): DataKey {
    const key = this.#keys.get(id);
    if (!key) throw new UnknownKey(id);
    return key;
  }

  #add(id: string, bytes: Buffer): void {
    this.#keys.set(id, { id, bytes, mac: createSecretKey(derive(bytes, "tunnelplane audit head")) });
  }

  #unwrap(id: string, wrapped: string): Buffer {
    try {
      return Buffer.from(open(this.master.bytes, `sealing_key/${id}`, wrapped), "base64url");
    } catch (error) {
      throw new SealBroken(`The data key ${id} cannot be opened: it was changed in the database`, {
        cause: error,
      });
    }
  }
}

const keyInUse = statement<object, Pick<Database["audit_head"], "key_id">>((db) =>
  db.selectFrom("audit_head").select("key_id"),
);

const lockedHead = statement<object, Database["audit_head"]>((db) =>
  db.selectFrom("audit_head").selectAll().forUpdate(),
);

const SEALED = new RegExp(`^${MARK}([\\w-]+)\\.([\\w-]+)$`);

const headIsGone = () =>
  new SealBroken(
    "The end of the audit log (the row of the table audit_head) was removed from this database; restore a backup",
  );

class UnknownKey extends SealBroken {
  constructor(id: string) {
    super(`There is no data key ${id} in this database, or it is kept under another master key`);
  }
}
