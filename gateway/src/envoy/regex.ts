import { messageOf } from "@tunnelplane/sdk/contract";
import { RE2JS } from "re2js";
import { Unservable } from "./model";
import type { Program } from "./rewriteForm";

/** A text as an RE2 expression that finds just this text. */
export const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Envoy asks for a match of the whole text; this finds the pattern anywhere in it. */
export function searching(pattern: string): string {
  const whole = `(?s:.*)(?:${pattern})(?s:.*)`;
  for (const one of [pattern, whole]) {
    try {
      RE2JS.compile(one);
    } catch (error) {
      // An open \Q would take in what follows the pattern; it then fails to compile here, and is not served.
      throw new Unservable(
        `the pattern ${JSON.stringify(pattern)} is no RE2 expression that can be searched for: ${messageOf(error)}`,
      );
    }
  }
  return whole;
}

/** Whether an RE2 expression is found in a text. */
export const finds = (pattern: string, text: string): boolean => RE2JS.compile(pattern).matcher(text).find();

/** What re2js made of an expression: its program, and how many groups it has. */
export function programOf(pattern: string): { readonly program: Program; readonly groups: number } {
  // The types of re2js leave out what it compiled.
  const { re2Input } = RE2JS.compile(pattern) as unknown as {
    re2Input: { prog: Program; numSubexp: number };
  };
  return { program: re2Input.prog, groups: re2Input.numSubexp };
}
