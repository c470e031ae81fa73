import { randomUUID } from "node:crypto";

/**
 * Characters that control a terminal instead of being shown: control characters (ESC among them) and the
 * marks that turn the direction of text. Line breaks and tabs are the layout of commands.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
const OBEYED = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * A text in which each character that controls a terminal is written as `\u001b`. In JSON, and in double
 * quotes of YAML, this is another way to write the same value. A text without such characters stays as it is.
 */
export const visible = (text: string): string =>
  text.replace(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * The same for a text of somebody else's that has to stay in one line: its line breaks and tabs are escaped,
 * too.
 */
export const inOneLine = (text: string): string =>
  visible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");

/** Whether {@link visible} would change a text. */
export const isObeyed = (text: string): boolean => text.search(OBEYED) >= 0;

/**
 * Stands for an ESC of our own until the text is written. Nobody else's text can hold it, because it is made
 * anew each time.
 */
const ESC = `<${randomUUID()}>`;

/** Only a terminal gets colours, and only where nobody asked for none (no-color.org). */
const isColoured = (): boolean =>
  Boolean(process.stdout.isTTY) && !process.env.NO_COLOR && process.env.TERM !== "dumb";

/**
 * Writes a text in a colour or weight of the terminal; as it is elsewhere. @param code of "Select Graphic
 * Rendition" (ECMA-48)
 */
export const painted =
  (code: number) =>
  (text: string): string =>
    isColoured() ? `${ESC}[${code}m${text}${ESC}[0m` : text;

/**
 * Prepares the output of a command, before it prints anything:
 *
 * - What objects, gateways and servers bring cannot steer the terminal: all text that the process writes to
 *   standard output and standard error, into pipes too, is {@link visible}. Binary data passes as it is.
 * - The command goes on when the reader of its output has gone, such as `head`, and ends with its own exit
 *   code. Without this, Node ends it with a stack.
 */
export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
    stream.write = (chunk: unknown, ...rest: unknown[]) =>
      write(typeof chunk === "string" ? visible(chunk).replaceAll(ESC, "\u001B") : chunk, ...rest);
  }
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
