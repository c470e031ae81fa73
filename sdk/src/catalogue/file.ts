import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  type YAMLError,
} from "yaml";
import { counted, formatPath, messageOf, own } from "../contract";

/**
 * The tags that mean the same everywhere: `!file`, with a path relative to the catalogue's folder, and
 * `!env`.
 */
const commonTags = (file: string): Tags => ({
  "!file": (path) => {
    try {
      return readFileSync(resolve(dirname(file), path), "utf8");
    } catch (error) {
      throw new Error(`cannot be read from its file: ${messageOf(error)}`);
    }
  },
  "!env": (name) => {
    const value = own(process.env, name);
    if (value === undefined) throw new Error(`is not in the environment: set ${name}`);
    return value;
  },
});

/** Stands in for a value that is not known yet; call it to get the value. */
export type Later = () => unknown;
export const isLater = (value: unknown): value is Later => typeof value === "function";

/**
 * Stands in for a value that could not be read. The reason is reported already, so report nothing else about
 * it.
 */
const MISSING: Later = () => undefined;

/**
 * Finds the value of `!<tag> <text>`. If it cannot, it throws the end of a sentence, such as "cannot be read:
 * …".
 */
export type Tags = Readonly<Record<string, (text: string) => unknown>>;

interface Mistake {
  /** Its position in the text, in characters from the beginning. */
  readonly offset: number;
  /** Its path in the catalogue: collection, name, fields. Empty for the file as a whole. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

interface Position {
  /** Offset of the field's name; entries of lists have none. */
  readonly key?: number;
  /** The value; for an alias, the value that it refers to. */
  readonly node: Node | null;
  /** Offset of the value; undefined if only the field's name is written. */
  readonly offset?: number;
}

/** A YAML file as plain values, with the position of each. */
export class CatalogueFile {
  readonly #lines = new LineCounter();
  readonly mistakes: Mistake[] = [];
  /** The content of the file; undefined if it is empty or no YAML. */
  readonly value: unknown;
  readonly #positions = new Map<string, Position>();
  readonly #tags: Tags;
  readonly #resolve: (node: Node | null) => Node | null;

  /** @param tags those beside `!file` and `!env` */
  constructor(
    private readonly file: string,
    text: string,
    tags: Tags,
  ) {
    this.#tags = { ...commonTags(file), ...tags };
    const document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false, // they quote the file, which may hold a secret
      stringKeys: true,
      uniqueKeys: false, // reported below, with the line of the first
      customTags: Object.keys(this.#tags).map((tag) => ({ tag, resolve: (content: string) => content })),
    });
    this.#resolve = (node) => (isAlias(node) ? (node.resolve(document) ?? null) : node);
    for (const error of [...document.errors, ...document.warnings]) {
      this.mistakes.push({ offset: error.pos[0], path: [], message: this.#inOurWords(error) });
    }
    if (document.errors.length === 0) this.value = this.#read(document.contents, [], {}, []);
  }

  /**
   * Notes a mistake at a value or at its field's name. If the file has neither, notes it at the nearest one
   * above.
   */
  addMistake(path: readonly PropertyKey[], message: string, at: "value" | "name" = "value"): void {
    this.mistakes.push({
      offset: this.#offsetOf(path, at),
      path,
      message: message + this.#quotingHint(path, message),
    });
  }

  /** All mistakes as one message. Quotes no line of the file, because it may hold a secret. */
  report(): string {
    const listed = this.mistakes
      .toSorted((a, b) => a.offset - b.offset)
      .map(({ offset, path, message }) => {
        const { line, col } = this.#lines.linePos(offset);
        return `  ${this.file}:${line}:${col} ${[formatPath(path), message].filter(Boolean).join(" ")}`;
      });
    return `${this.file} has ${counted(listed.length, "mistake")}; nothing was declared:\n${listed.join("\n")}`;
  }

  lineOf(path: readonly PropertyKey[], at: "value" | "name" = "value"): number {
    return this.#lines.linePos(this.#offsetOf(path, at)).line;
  }

  #offsetOf(path: readonly PropertyKey[], at: "value" | "name"): number {
    const position = this.#positions.get(formatPath(path));
    if (!position) return path.length > 0 ? this.#offsetOf(path.slice(0, -1), "name") : 0;
    return (at === "name" ? (position.key ?? position.offset) : (position.offset ?? position.key)) ?? 0;
  }

  /** YAML reads 1.3 as a number where the contract wants a string. */
  #quotingHint(path: readonly PropertyKey[], message: string): string {
    const node = this.#positions.get(formatPath(path))?.node;
    if (!isScalar(node) || node.type !== Scalar.PLAIN || typeof node.value === "string" || !node.source)
      return "";
    return message.startsWith("must be a string") || message.includes(JSON.stringify(node.source))
      ? "; put it in quotes"
      : "";
  }

  #read(
    written: Node | null,
    path: readonly PropertyKey[],
    { key }: { key?: number },
    within: readonly Node[],
  ): unknown {
    const node = this.#resolve(written);
    const empty = isScalar(written) && written.value === null && !written.source;
    this.#positions.set(formatPath(path), { key, node, offset: empty ? undefined : written?.range?.[0] });
    if (isAlias(written) && (!node || within.includes(node))) {
      this.addMistake(
        path,
        node
          ? "contains itself through an alias"
          : `is an alias for &${written.source}, which is not defined before it`,
      );
      return MISSING;
    }
    const around = node ? [...within, node] : within;
    if (isMap(node)) return this.#readMap(node.items, path, around);
    if (isSeq(node))
      return node.items.map((item, index) => this.#read(item as Node | null, [...path, index], {}, around));
    return isScalar(node) ? this.#readScalar(node, path) : undefined;
  }

  #readMap(
    pairs: readonly unknown[],
    path: readonly PropertyKey[],
    within: readonly Node[],
  ): Record<string, unknown> {
    const fields = new Map<string, unknown>();
    for (const pair of pairs.filter(isPair) as Pair<Scalar<string>, Node | null>[]) {
      const { value: name, range } = pair.key;
      const at = [...path, name];
      if (fields.has(name)) {
        const first = this.#positions.get(formatPath(at))?.key ?? 0;
        const message = `is here a second time, after line ${this.#lines.linePos(first).line}; give each its own name`;
        this.mistakes.push({ offset: range?.[0] ?? 0, path: at, message });
        continue;
      }
      fields.set(name, this.#read(pair.value, at, { key: range?.[0] }, within));
    }
    return Object.fromEntries(fields);
  }

  #readScalar(node: Scalar, path: readonly PropertyKey[]): unknown {
    const substitute = own(this.#tags, node.tag ?? "");
    if (!substitute) return node.value;
    try {
      return substitute(String(node.value));
    } catch (error) {
      this.addMistake(path, messageOf(error));
      return MISSING;
    }
  }

  #inOurWords({ code, message }: YAMLError): string {
    if (code === "TAG_RESOLVE_FAILED") {
      const tag = message.replace("Unresolved tag: ", "");
      return Object.hasOwn(this.#tags, tag)
        ? `${tag} takes a text`
        : `${tag} is not a tag here; accepted: ${Object.keys(this.#tags).join(", ")}`;
    }
    if (code === "MULTIPLE_DOCS") return "begins a second document; a catalogue is one";
    // Some messages end with a quote from the file, which may be a secret.
    return `is not YAML: ${message.replace(/: ".*$/s, "")}`;
  }
}
