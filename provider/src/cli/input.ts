import { readFileSync } from "node:fs";
import { codeOf } from "@tunnelplane/sdk/contract";
import { textOf } from "../review/preview";

export const nameOf = (file: string): string => (file === "-" ? "Standard input" : file);

const STANDARD_INPUT = 0;

/** @param expected how to make what the file should hold */
export function read(file: string, expected: string): string {
  try {
    return textOf(readFileSync(file === "-" ? STANDARD_INPUT : file));
  } catch (error) {
    throw unreadable(file, error, expected);
  }
}

/** @param thrown by reading the file */
export function unreadable(file: string, thrown: unknown, expected: string): Error {
  const code = codeOf(thrown);
  const reason = code === "ENOENT" ? "there is no such file" : (code ?? "it cannot be read");
  return new Error(`${nameOf(file)} cannot be read: ${reason}; ${expected}`);
}
