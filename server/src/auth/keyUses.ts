import type { Answers } from "@tunnelplane/sdk";
import type { Kysely } from "kysely";
import { type Answer, documentsOfPage, type Page } from "../documents";
import { ALONE, type Siblings } from "../process";
import { type Database, inParts, isListed, type Store } from "../storage";
import { grouped } from "../util";

const HOUR_MS = 60 * 60_000;
/** The limit on keys in memory: some MB. */
const MAX_RECORDED = 20_000;

/**
 * Knows in which hour each API key was last used. It is noted in memory, when a key is looked up, and written
 * for all keys together once a minute ({@link write}): no request waits for that, and no key is written more
 * than once an hour, unless more than {@link MAX_RECORDED} are used. A server that is killed forgets the last
 * minute.
 */
export class KeyUses {
  /** The hour in which each key was used last on this server, unless the database has it for good. */
  readonly #hours = new Map<string, string>();
  /** The keys whose hour is not written yet. */
  #unwritten = new Set<string>();

  /** @param siblings the other processes, which hear of the first use of a key in an hour */
  constructor(
    private readonly store: Pick<Store, "reader" | "write">,
    private readonly siblings: Siblings = ALONE,
  ) {
    siblings.on("key used", (keyId) => void this.#isNew(String(keyId)));
  }

  note(keyId: string): void {
    if (!this.#isNew(keyId)) return;
    this.#unwritten.add(keyId);
    this.siblings.tell("key used", keyId);
  }

  /** Whether a use is the first one of this hour, as far as there is room to remember it. */
  #isNew(keyId: string): boolean {
    const hour = hourNow();
    if (this.#hours.get(keyId) === hour) return false;
    if (this.#hours.size >= MAX_RECORDED && !this.#hours.has(keyId)) return false; // until the next write
    this.#hours.set(keyId, hour);
    return true;
  }

  /** Writes what was noted since the last time. Keys that were deleted meanwhile are left out. */
  async write(): Promise<void> {
    const keys = [...this.#unwritten];
    this.#unwritten = new Set();
    try {
      for (const [hour, ids] of grouped(keys, (key) => this.#hours.get(key) ?? ""))
        await this.store.write(async (transaction) => {
          await inParts(ids, async (part) => {
            await writeHour(transaction, hour, part);
            return [];
          });
        });
    } catch (error) {
      for (const key of keys) this.#unwritten.add(key);
      throw error;
    }
    this.#forgetWritten();
  }

  /** Forgets written keys of earlier hours; all written ones if there are many: they are written again. */
  #forgetWritten(): void {
    const hour = hourNow();
    const areMany = this.#hours.size >= MAX_RECORDED;
    for (const [key, noted] of this.#hours)
      if (!this.#unwritten.has(key) && (areMany || noted !== hour)) this.#hours.delete(key);
  }

  /** Adds to the answer about a key when it was last used. */
  async tell<A extends Answer>(answer: A): Promise<A> {
    const [json = answer.json] = await this.#withUses([JSON.parse(answer.json)]);
    return { ...answer, json };
  }

  /** The same for a page of keys. */
  async tellPage(page: Page): Promise<Page> {
    const keys = documentsOfPage(page).map((json) => JSON.parse(json));
    return { ...page, documents: await this.#withUses(keys) };
  }

  async #withUses(keys: readonly Answers["api_key"][]): Promise<string[]> {
    const rows = await inParts(
      keys.map(({ id }) => id),
      (ids) =>
        this.store.reader
          .selectFrom("key_use")
          .selectAll()
          .where(isListed(this.store.reader, "key_id", ids))
          .execute(),
    );
    const written = new Map(rows.map(({ key_id, hour }) => [key_id, hour]));
    return keys.map((key) => {
      const [here = "", there = ""] = [this.#hours.get(key.id), written.get(key.id)];
      return JSON.stringify({ ...key, last_used_at: (here > there ? here : there) || null });
    });
  }
}

const hourNow = (): string => new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString();

/** In the order of ids, so that servers which write the same keys wait for each other without a deadlock. */
const writeHour = (db: Kysely<Database>, hour: string, ids: string) =>
  db
    .insertInto("key_use")
    .columns(["key_id", "hour"])
    .expression((from) =>
      from
        .selectFrom("resource")
        .select(({ val }) => ["id", val(hour).as("hour")])
        .where(isListed(db, "id", ids))
        .orderBy("id"),
    )
    .onConflict((conflict) =>
      conflict
        .column("key_id")
        .doUpdateSet({ hour })
        .whereRef("key_use.hour", "<", "excluded.hour" as never),
    )
    .execute();
