import type { LineCounter } from "yaml";
import { counted, formatPath } from "../contract";

/** One mistake in a file. */
export interface Mistake {
  /** Its position in the text, in characters from the beginning. */
  readonly offset: number;
  /** Its path in the catalogue: collection, name, fields. Empty for the file as a whole. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** All mistakes as one message. Quotes no line of the file, because it may hold a secret. */
export function report(file: string, mistakes: readonly Mistake[], lines: LineCounter): string {
  const listed = [...mistakes]
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, path, message }) => {
      const { line, col } = lines.linePos(offset);
      return `  ${file}:${line}:${col} ${[formatPath(path), message].filter(Boolean).join(" ")}`;
    });
  return `${file} has ${counted(listed.length, "mistake")}; nothing was declared:\n${listed.join("\n")}`;
}
