import "./nodeVersion";

/**
 * Reads a switch of a command. A variable of the environment may also turn it off, or be empty.
 *
 * @param Mistake the error that the reader of the command line expects
 */
export const switchReader =
  (Mistake: new (message: string) => Error) =>
  (text: string): boolean => {
    if (text === "true" || text === "1") return true;
    if (text === "false" || text === "0" || text === "") return false;
    throw new Mistake('Expected "true" or "false".');
  };

export { mistypedVariables } from "./client/variables";
export { makeFolder } from "./folders";
export { limitYoungGeneration, loadInLittleMemory } from "./memory";
export { guardOutput, inOneLine, painted, visible } from "./terminal";
export { UNKNOWN } from "./unknown";
