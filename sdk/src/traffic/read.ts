import {
  type DamagedLine,
  mistakeInLine,
  type OtherTraffic,
  type TrafficEntry,
  type TrafficLine,
} from "./line";

/** The bytes of the longest line that is read. */
export const MAX_LINE_LENGTH = 64 * 1024;

const NEWLINE = 10;

/**
 * Reads recorded traffic, one JSON value a line, as it arrives: at most one chunk and one line are held. A
 * line that is damaged or longer than `MAX_LINE_LENGTH` becomes a `DamagedLine`, and empty lines are left
 * out.
 *
 * @param chunks bytes, such as those of a file's stream
 * @throws Error as reading the chunks does
 */
export async function* readTraffic(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<TrafficEntry> {
  const lines = new Lines();
  for await (const chunk of chunks) yield* lines.in(chunk);
  yield* lines.last();
}

/** Cuts bytes into lines. */
class Lines {
  #number = 0;
  /** The beginning of a line that has not ended. */
  #begun: Uint8Array[] = [];
  #length = 0;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });

  *in(chunk: Uint8Array): Generator<TrafficEntry> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield* this.last();
    }
    this.#keep(chunk.subarray(start));
  }

  *last(): Generator<TrafficEntry> {
    this.#number++;
    const [length, begun] = [this.#length, this.#begun];
    this.#length = 0;
    this.#begun = [];
    if (length === 0) return;
    if (length > MAX_LINE_LENGTH) yield this.#damaged(`is longer than ${MAX_LINE_LENGTH} bytes`);
    else yield this.#entryIn(begun);
  }

  /** Keeps nothing of a line that is too long. */
  #keep(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (this.#length > MAX_LINE_LENGTH) this.#begun = [];
    else if (bytes.length > 0) this.#begun.push(bytes);
  }

  #entryIn([first = new Uint8Array(), ...others]: readonly Uint8Array[]) {
    let text: string;
    try {
      text = this.#decoder.decode(others.length === 0 ? first : Buffer.concat([first, ...others]));
    } catch {
      return this.#damaged("is not in UTF-8");
    }
    try {
      const value: unknown = JSON.parse(text);
      const mistake = mistakeInLine(value);
      return mistake === undefined ? (value as TrafficLine | OtherTraffic) : this.#damaged(mistake);
    } catch {
      return this.#damaged("is not JSON");
    }
  }

  #damaged = (reason: string): DamagedLine => ({ damaged: this.#number, reason });
}
