import type * as Re2 from "re2js";
import { conditioned, word } from "../core/fields";
import { messageOf } from "../core/narrow";
import { programSize } from "./patternSize";

const MAX_PATTERN_LENGTH = 512;
// Compiling a program of 1,000 instructions takes up to 30 ms (measured on 2 cores, Node 24). Gateways refuse
// far larger ones.
const MAX_PROGRAM_SIZE = 1_024;

/** For the descriptions of fields that hold patterns. */
export const PATTERN_LIMITS = `Each has at most ${MAX_PATTERN_LENGTH} bytes and a program of at most ${MAX_PROGRAM_SIZE} instructions; counts of repetitions multiply.`;

/**
 * A regular expression that runs in linear time: RE2's syntax, which has no back-references and no
 * look-around.
 */
export const pattern = (longest = MAX_PATTERN_LENGTH) =>
  conditioned(word(longest, "bytes"), (value) => {
    // Check the size before compiling, because that takes time and memory in proportion to the program, not
    // to the text.
    const size = programSize(value);
    if (size > MAX_PROGRAM_SIZE)
      return `needs a program of some ${size} instructions; at most ${MAX_PROGRAM_SIZE} are allowed, and counts of repetitions multiply, so repeat less`;
    // Loaded on first use: few programs filter user agents.
    const { RE2JS }: typeof Re2 = require("re2js");
    try {
      RE2JS.compile(value);
      // A gateway writes the pattern into a larger one; an open quotation would swallow the rest of that.
      return compiled(`(?:${value})`)
        ? undefined
        : 'opens a quotation with "\\Q" and does not close it: add "\\E"';
    } catch (error) {
      const beyondRe2 = /\(\?<?[=!]|\\[1-9]/.test(value)
        ? "; look-around and back-references are not part of RE2"
        : "";
      return `is not a regular expression that RE2 accepts (${messageOf(error)})${beyondRe2}`;
    }
  });

/** A valid pattern; undefined for a text that is none. */
function compiled(pattern: string): Re2.RE2JS | undefined {
  const { RE2JS }: typeof Re2 = require("re2js");
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

/** How many groups a pattern captures; undefined for a text that is not a pattern. */
export const groupsIn = (pattern: string): number | undefined => compiled(pattern)?.groupCount();
