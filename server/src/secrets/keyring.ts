import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import { type Database, statement } from "../storage";
import type { MasterKey } from "./masterKey";
import { derive, open, seal } from "./seal";

/** How sealed texts begin, so that they can be told from what was stored before sealing; no user can make one that opens. */
const MARK = "sealed:";

interface DataKey {
  readonly id: string;
  readonly bytes: Buffer;
  /** For the end of the audit log. */
  readonly mac: KeyObject;
}

/** What was sealed cannot be opened: it was changed or moved, or its key is not here. */
export class SealBroken extends Error {}

/** Another data key is in use since this writer looked: its work has to run again. */
export class KeyRotated extends Error {
  constructor() {
    super("The data key was rotated meanwhile");
  }
}

/**
 * The data keys, under which secrets are sealed. The database keeps them wrapped under the master key, so that
 * they can be rotated while servers run: each learns of a new one from the database.
 */
export class Keyring {
  readonly #keys = new Map<string, DataKey>();
  #current: DataKey | undefined;

  constructor(private readonly master: MasterKey) {}

  /** The id of the key that seals. */
  get currentId(): string {
    return this.#sealer.id;
  }

  /** Reads the keys that the database has. Throws when none of them is wrapped under this master key. */
  async load(db: Kysely<Database>): Promise<void> {
    // In this order: the key that is in use now is among those that are read later, also when it is rotated in between.
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
   * Locks the end of the audit log, where it stands which key is in use. Asked last in every transaction that seals, so
   * that nothing stays sealed under a key that is about to be forgotten.
   *
   * @param begunUnder the key that was in use when the transaction began; whoever reads meanwhile may bring in a new one
   * @throws KeyRotated when another key is in use by now
   */
  async lockHead(transaction: Kysely<Database>, begunUnder: string): Promise<Database["audit_head"]> {
    const [head] = await lockedHead(transaction, {});
    if (!head) throw new Error("The audit log has no beginning: the row of audit_head is missing");
    if (head.key_id === begunUnder) return head;
    await this.load(transaction);
    throw new KeyRotated();
  }

  /** Makes a new key and returns its id. It seals once the database says so, see {@link load}. */
  make(): string {
    const id = randomBytes(9).toString("base64url");
    this.#add(id, randomBytes(32));
    return id;
  }

  /** A key of this ring as the database keeps it, under a master key. */
  rowOf(id: string, master = this.master): Database["sealing_key"] {
    const wrapped = seal(master.bytes, `sealing_key/${id}`, this.#key(id).bytes.toString("base64url"));
    return { id, master_id: master.id, wrapped, created_at: new Date().toISOString() };
  }

  /**
   * @param place what the text is bound to, for example `<id of the object>/<path of the field>`
   * @param keyId the key to seal under, if it is not the one in use
   */
  seal(place: string, text: string, keyId?: string): string {
    const { id, bytes } = keyId === undefined ? this.#sealer : this.#key(keyId);
    return `${MARK}${id}.${seal(bytes, place, text)}`;
  }

  /** The text that was sealed; a text that was stored before there was sealing is returned as it is. */
  open(place: string, stored: string): string {
    const [, id, sealed] = SEALED.exec(stored) ?? [];
    if (id === undefined || sealed === undefined) return stored;
    const key = this.#keys.get(id);
    if (!key) throw new UnknownKey(id);
    try {
      return open(key.bytes, place, sealed);
    } catch (error) {
      throw new SealBroken(`The secret at ${place} cannot be opened: it was changed or moved in the database`, { cause: error });
    }
  }

  /** Opens what may be sealed under a key that another process made meanwhile. */
  async opening<T>(db: Kysely<Database>, work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UnknownKey)) throw error;
      await this.load(db);
      return work();
    }
  }

  /** What SQL's `like` matches in texts that are sealed under the key in use. */
  get currentPattern(): string {
    return `${MARK}${this.currentId}.%`;
  }

  /** Whether a stored text is sealed under the key in use. */
  isCurrent(stored: string): boolean {
    return stored.startsWith(`${MARK}${this.currentId}.`);
  }

  /** A code that nobody without a key of this ring can make. */
  sign(keyId: string, text: string): string {
    return createHmac("sha256", this.#key(keyId).mac).update(text).digest("base64url");
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
      throw new SealBroken(`The data key ${id} cannot be opened: it was changed in the database`, { cause: error });
    }
  }
}

const lockedHead = statement<object, Database["audit_head"]>((db) => db.selectFrom("audit_head").selectAll().forUpdate());

const SEALED = new RegExp(`^${MARK}([\\w-]+)\\.([\\w-]+)$`);

const headIsGone = () =>
  new SealBroken("The end of the audit log (the row of the table audit_head) was removed from this database; restore a backup");

class UnknownKey extends SealBroken {
  constructor(id: string) {
    super(`There is no data key ${id} in this database, or it is kept under another master key`);
  }
}
