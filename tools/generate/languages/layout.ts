/** Stands for the end of a line inside a text of several lines, which no indentation may change. */
const END_OF_LINE = "\0";

/** Items in brackets, each on a line of its own with a comma behind it; an empty pair if there are none. */
export const brackets = (open: string, items: readonly string[], close: string, step: string): string =>
  items.length === 0
    ? open.trim() + close
    : `${open}\n${indented(items.map((item) => `${item},\n`).join(""), step)}${close}`;

/** The lines of some code, each further in by one step. */
export const indented = (code: string, step: string): string => code.replaceAll(/^(?=.)/gm, step);

/**
 * A text in quotes: one with several lines as it is between the marks of the language, if it needs no escapes
 * there.
 */
export const quoted = (text: string, open: string, close: string): string =>
  text.includes("\n") && !/["\\`]/.test(text)
    ? `${open}${text}${close}`.replaceAll("\n", END_OF_LINE)
    : JSON.stringify(text);

/** The code that was laid out, with the lines of its texts. */
export const finished = (code: string): string => code.replaceAll(END_OF_LINE, "\n");
