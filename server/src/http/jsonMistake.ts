const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in its strings
const START_OF_STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Describes where a text stops being JSON; V8 names the location only in some of its messages. Reads the text
 * once, builds nothing and does not recurse. Call it only for texts that JSON.parse refused.
 */
export function locationOfMistake(text: string): string {
  const expected = new Reader(text).read();
  return `expected ${expected.words} at character ${expected.at + 1}`;
}

class Reader {
  #at = 0;
  /** The closing brackets that are still expected. */
  readonly #open: ("}" | "]")[] = [];

  constructor(private readonly text: string) {}

  read(): { words: string; at: number } {
    let expectsValue = true;
    for (;;) {
      this.#take(SPACE);
      const words: boolean | string = expectsValue ? this.#value() : this.#afterValue();
      if (typeof words === "string") return { words, at: this.#at };
      expectsValue = words;
    }
  }

  /** Reads a value, or the start of an object or list. Returns whether another value follows. */
  #value(): boolean | string {
    const opening = this.text[this.#at];
    if (opening === "{" || opening === "[") {
      this.#at++;
      this.#open.push(opening === "{" ? "}" : "]");
      this.#take(SPACE);
      if (this.text[this.#at] === this.#open.at(-1)) return this.#close();
      return opening === "{" ? this.#name() : true;
    }
    if (opening === '"') return this.#string() ?? false;
    return this.#take(SCALAR) ? false : "a value";
  }

  #afterValue(): boolean | string {
    const closing = this.#open.at(-1);
    if (closing === undefined) return this.#at < this.text.length ? "nothing more" : "a value";
    if (this.text[this.#at] === closing) return this.#close();
    if (this.text[this.#at] !== ",") return `"," or "${closing}"`;
    this.#at++;
    this.#take(SPACE);
    return closing === "}" ? this.#name() : true;
  }

  #close(): false {
    this.#at++;
    this.#open.pop();
    return false;
  }

  /** The name of a field, and the colon after it. */
  #name(): true | string {
    if (this.text[this.#at] !== '"') return "the name of a field in double quotes";
    const wrong = this.#string();
    if (wrong) return wrong;
    this.#take(SPACE);
    if (this.text[this.#at] !== ":") return '":"';
    this.#at++;
    return true;
  }

  #string(): string | undefined {
    this.#take(START_OF_STRING);
    if (this.text[this.#at] === '"') {
      this.#at++;
      return undefined;
    }
    return "the rest of a string, in which control characters and unknown escapes may not stand";
  }

  #take(expression: RegExp): boolean {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.text)?.[0];
    this.#at += found?.length ?? 0;
    return found !== undefined && found !== "";
  }
}
