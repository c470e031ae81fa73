/** What {@link readSwitch} reads, for messages. */
export const SWITCH_FORM = 'Expected "true" or "false".';

/**
 * Reads a switch of a command: a variable of the environment may also turn it off, or be empty. Undefined for
 * a text that is none.
 */
export function readSwitch(text: string): boolean | undefined {
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" || text === "" ? false : undefined;
}
