import { type Definition, definitionOfId } from "@tunnelplane/sdk/contract";
import { Job } from "@tunnelplane/sdk/jobs";
import { RENAMED } from "../../documents";
import { headOf, type Sequencer } from "../../journal";
import type { Store } from "../../storage";
import { Slice } from "../../util";
import { type Entry, entryOf, type SearchedRow } from "./entry";
import { changesAfter, namesAfter, rowsAfter, searchedRows, settingOf } from "./rows";
import { exactly, RANKS, type Rank, rankOf, type Wanted } from "./wanted";

/**
 * Each takes one byte of memory, or two in texts with others than those of Latin-1; what does not fit in is
 * not found.
 */
const MAX_CHARACTERS = 128 * 1024 * 1024;
/** The size of an entry beside its texts, in bytes: 231 (100,000 TLS edges, 2026-11-25, Node 24). */
const ENTRY_CHARACTERS = 231;
/** The size of a network of an entry; chosen, not measured. */
const NETWORK_CHARACTERS = 100;
/** Between two searches, it follows what others change. */
const FOLLOW_MS = 1_000;
/** An index that nobody used for this long is dropped. */
const IDLE_MS = 10 * 60_000;
/** Other work gets a turn of the event loop at least so often. */
const SLICE_MS = 4;
const ROWS_AT_ONCE = 200;
const CHANGES_AT_ONCE = 2_000;

interface Found {
  /** The best first, then the newest. */
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

/** Objects of some kinds, as one caller may see them. */
interface Scope {
  readonly kinds: readonly Definition[];
  isShown(definition: Definition, entry: Entry): boolean;
}

/**
 * The texts of all objects in memory, so that a search reads no object but those that it finds. It is built
 * by the first search, follows the audit log, and is dropped when nobody searches any more. Writers have no
 * work with it.
 */
export class SearchIndex {
  /** By kind, the oldest first. */
  #entries = new Map<string, Entry[]>();
  readonly #byId = new Map<string, Entry>();
  #characters = 0;
  /** Whether there was no room for some objects. */
  #isFull = false;
  /** The last row of the audit log that it has followed; undefined before it is built. */
  #through: number | undefined;
  /** The setting {@link RENAMED} at that time: names change without a row in the audit log. */
  #renamed: string | undefined;
  #usedAt = 0;
  // Of an error nobody hears: the next search tries again, and answers it.
  readonly #rounds = new Job({
    name: "follow changes in the search index",
    everyMs: FOLLOW_MS,
    work: () => this.#round(),
  });

  constructor(
    private readonly store: Store,
    private readonly sequencer: Sequencer,
  ) {}

  /** Finds objects; everything that was committed before the call counts. */
  async find(wanted: Wanted, { kinds, isShown }: Scope, most: number): Promise<Found> {
    this.#usedAt = Date.now();
    this.#rounds.start();
    await this.#rounds.round();
    const slice = new Slice(SLICE_MS);
    const all = this.#entries;
    const ranked = RANKS.map((): string[] => []);
    for (const definition of kinds) {
      const ofKind: Record<Rank, number> = { 0: 0, 1: 0, 2: 0, 3: 0 };
      const entries = all.get(definition.kind) ?? [];
      for (let index = entries.length - 1; index >= 0; index--) {
        if (slice.isOver(index)) await slice.next();
        const entry = entries[index];
        // When enough fit well, only one that fits better may still take a place.
        const rank = entry && (ofKind[0] + ofKind[1] > most ? exactly(entry, wanted) : rankOf(entry, wanted));
        if (!entry || rank === undefined || !isShown(definition, entry)) continue;
        // One more than asked for shows whether there are more.
        if (ofKind[rank]++ <= most) ranked[rank]?.push(entry.id);
        if (ofKind[0] > most) break;
      }
    }
    const ids = ranked.flatMap((equal) => equal.sort((a, b) => (ageOf(a) < ageOf(b) ? 1 : -1)));
    return { ids: ids.slice(0, most), hasMore: ids.length > most || this.#isFull };
  }

  async close(): Promise<void> {
    await this.#rounds.stop();
    this.#forget();
  }

  async #round(): Promise<void> {
    if (Date.now() - this.#usedAt > IDLE_MS) {
      void this.#rounds.stop();
      this.#forget();
      return;
    }
    await this.sequencer.settle();
    const { reader } = this.store;
    const end = (await headOf(reader))?.sequence ?? 0;
    const [renamed] = await settingOf(reader, { name: RENAMED });
    try {
      if (this.#through === undefined) await this.#build();
      else {
        await this.#follow(this.#through, end);
        if (renamed?.value !== this.#renamed) await this.#readNames();
      }
      this.#through = end;
      this.#renamed = renamed?.value;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #forget(): void {
    this.#through = undefined;
    this.#entries = new Map(); // a search may be at work in the former one
    this.#byId.clear();
    this.#characters = 0;
    this.#isFull = false;
  }

  /** Reads all objects. What changes meanwhile is read again, because it comes later in the log. */
  async #build(): Promise<void> {
    const slice = new Slice(SLICE_MS);
    for (let after = ""; ; ) {
      const rows = await rowsAfter(this.store.reader, { after, limit: ROWS_AT_ONCE });
      for (const row of rows) {
        if (slice.isOver()) await slice.next();
        this.#put(row);
      }
      const last = rows.at(-1);
      if (!last || rows.length < ROWS_AT_ONCE) return;
      after = last.id;
    }
  }

  async #follow(from: number, end: number): Promise<void> {
    for (let after = from; after < end; ) {
      const changes = await changesAfter(this.store.reader, { after, limit: CHANGES_AT_ONCE });
      const last = changes.at(-1);
      if (!last) return;
      const ids = new Set(changes.flatMap(({ object_id: id }) => (id && definitionOfId(id) ? [id] : [])));
      await this.#readAgain([...ids]);
      after = Number(last.sequence);
    }
  }

  /** Reads all names, and the objects whose name is another one. */
  async #readNames(): Promise<void> {
    const slice = new Slice(SLICE_MS);
    for (let after = ""; ; ) {
      const rows = await namesAfter(this.store.reader, { after, limit: CHANGES_AT_ONCE });
      await this.#readAgain(
        rows.flatMap(({ id, name }) => {
          const entry = this.#byId.get(id);
          return entry && entry.name !== name ? [id] : [];
        }),
      );
      const last = rows.at(-1);
      if (!last || rows.length < CHANGES_AT_ONCE) return;
      after = last.id;
      if (slice.isOver()) await slice.next();
    }
  }

  async #readAgain(ids: readonly string[]): Promise<void> {
    const slice = new Slice(SLICE_MS);
    const gone = new Set<string>();
    for (let first = 0; first < ids.length; first += ROWS_AT_ONCE) {
      const part = ids.slice(first, first + ROWS_AT_ONCE);
      const rows = await searchedRows(this.store, part);
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const id of part) {
        if (slice.isOver()) await slice.next();
        const row = found.get(id);
        if (row) this.#put(row);
        else if (this.#byId.has(id)) gone.add(id);
      }
    }
    this.#remove(gone);
  }

  #put(row: SearchedRow): void {
    if (!definitionOfId(row.id)) return; // a later version wrote it
    const entry = entryOf(row);
    const known = this.#byId.get(row.id);
    const characters = sizeOf(entry) - (known ? sizeOf(known) : 0);
    if (this.#characters + characters > MAX_CHARACTERS) {
      this.#isFull = true;
      if (known) this.#remove(new Set([row.id]));
      return;
    }
    this.#characters += characters;
    this.#byId.set(row.id, entry);
    const entries = this.#entries.get(row.kind) ?? [];
    const last = entries.at(-1);
    if (!known && (!last || last.id < entry.id)) {
      entries.push(entry);
      this.#entries.set(row.kind, entries);
      return;
    }
    const index = indexOf(entries, entry.id);
    // Of a new object of another server, a copy: a search may be at work in the list.
    if (known) entries[index] = entry;
    else this.#entries.set(row.kind, entries.toSpliced(index, 0, entry));
  }

  #remove(ids: ReadonlySet<string>): void {
    const kinds = new Set([...ids].flatMap((id) => definitionOfId(id)?.kind ?? []));
    for (const kind of kinds)
      this.#entries.set(
        kind,
        (this.#entries.get(kind) ?? []).filter(({ id }) => !ids.has(id)),
      );
    for (const id of ids) {
      const entry = this.#byId.get(id);
      if (entry) this.#characters -= sizeOf(entry);
      this.#byId.delete(id);
    }
  }
}

const sizeOf = ({ lines, networks = [] }: Entry): number =>
  ENTRY_CHARACTERS + lines.length + networks.length * NETWORK_CHARACTERS;

/** Ids of all kinds sort by time behind their prefix. */
const ageOf = (id: string): string => id.slice(id.indexOf("_") + 1);

/** Where an id stands in entries, or would stand. */
function indexOf(entries: readonly Entry[], id: string): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.id ?? "") < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
