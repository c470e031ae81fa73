import { visible } from "@tunnelplane/sdk/node";

/** A part of a section: one finding, several of one cause, a table. */
export interface Entry {
  readonly text: string;
  /** How many findings it stands for. */
  readonly count?: number;
  /** Of several entries of one rule, one stands in every comment. */
  readonly rule?: string;
}

export interface Section {
  readonly title: string;
  /** The name of the entries, for the count of those that are left out. */
  readonly name: string;
  /** The text before the entries, such as the head of a table. */
  readonly head?: string;
  readonly entries: readonly Entry[];
}

/** A long name or sentence must not take the room of other rules. */
const MAX_ENTRY_LENGTH = 2000;

/**
 * Chooses the entries of a comment of limited length: one of each rule, then some of each section, and then
 * as many as there is room for.
 */
export class Comment {
  #left: number;
  readonly #texts = new Map<Entry, string>();

  constructor(
    private readonly sections: readonly Section[],
    room: number,
  ) {
    this.#left = room;
    for (const section of sections) if (section.entries.length > 0) this.#take(this.#frame(section, ""));
    const first = new Map<string, Entry>();
    for (const { entries } of sections)
      for (const entry of entries)
        if (entry.rule !== undefined && !first.has(entry.rule)) first.set(entry.rule, entry);
    const short = new Map([...first].map(([rule, entry]) => [entry, shortOf(rule, entry)]));
    // The short form of each rule has room, however long the others are.
    for (const text of short.values()) this.#take(text);
    for (const [entry, text] of short) {
      this.#left += text.length;
      const whole = written(entry.text);
      const fits = whole.length <= Math.min(this.#left, MAX_ENTRY_LENGTH);
      this.#texts.set(entry, fits ? whole : text);
      this.#take(fits ? whole : text);
    }
    // No section, however long, takes the room of another one. What these leave goes to the first ones.
    const filled = sections.filter(({ entries }) => entries.some((entry) => !this.#texts.has(entry)));
    const share = this.#left / Math.max(filled.length, 1);
    for (const { entries } of filled) this.#fill(entries, share);
    for (const { entries } of filled) this.#fill(entries, this.#left);
  }

  get text(): string {
    return this.sections
      .filter(({ entries }) => entries.length > 0)
      .map((section) =>
        this.#frame(section, section.entries.map((entry) => this.#texts.get(entry) ?? "").join("")),
      )
      .join("");
  }

  /** "12 of 250 high findings" */
  get leftOut(): string[] {
    const sum = (entries: readonly Entry[]) => entries.reduce((total, { count = 1 }) => total + count, 0);
    return this.sections.flatMap(({ entries, name }) => {
      const missing = entries.filter((entry) => !this.#texts.has(entry));
      return missing.length > 0 ? [`${sum(missing)} of ${sum(entries)} ${name}`] : [];
    });
  }

  #fill(entries: readonly Entry[], room: number): void {
    const least = this.#left - room;
    for (const entry of entries.filter((candidate) => !this.#texts.has(candidate))) {
      const text = written(entry.text);
      if (this.#left - text.length < least) return;
      this.#texts.set(entry, text);
      this.#take(text);
    }
  }

  #take(text: string): void {
    this.#left -= text.length;
  }

  #frame({ title, head = "" }: Section, inside: string): string {
    return `${title}\n\n${head}${inside}\n`;
  }
}

/** Done here, so that the room counts the final text. */
const written = (text: string): string => visible(`${text}\n`);

const shortOf = (rule: string, { count = 1 }: Entry): string =>
  `- \`${rule}\`: ${count === 1 ? "a finding" : `${count} findings`} too long for a comment\n`;
