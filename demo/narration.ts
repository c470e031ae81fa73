import { isDeepStrictEqual, styleText } from "node:util";
import type { Run } from "../tests/support/engine";

const started = Date.now();
let checks = 0;

export function heading(text: string): void {
  console.log(`\n${styleText("bold", text)}`);
}

export function say(text: string): void {
  console.log(`  ${text}`);
}

/** The engine's own output, without its addresses, which say nothing to a reader. */
export function show(stdout: string): void {
  const lines = stdout.split("\n").filter((line) => line.trim() && !/^\s*\[(urn|id)=/.test(line));
  console.log(lines.map((line) => styleText("dim", `  │ ${line.replace("pulumi-nodejs:dynamic/tunnelplane:", "")}`)).join("\n"));
}

/** States what was just checked; what is not so ends the demo. */
export function expectThat(what: string, holds: boolean): void {
  if (!holds) throw new Error(`Not as said: ${what}`);
  checks++;
  console.log(`  ${styleText("green", "✓")} ${what}`);
}

/** Checks what the engine did, as `<op> <name> <properties>`, in order, what stayed the same left out. */
export function expectSteps(what: string, run: Run, expected: readonly string[]): void {
  const seen = run.steps.filter(({ op }) => op !== "same").map(({ op, name, changes }) => [op, name, ...changes].join(" "));
  if (!isDeepStrictEqual(seen, expected))
    throw new Error(`Not as said: ${what}\nexpected ${JSON.stringify(expected)}\n     saw ${JSON.stringify(seen)}`);
  expectThat(what, true);
}

export function finish(): void {
  console.log(
    `\n${styleText("bold", `All ${checks} claims checked against the server`)}, in ${((Date.now() - started) / 1000).toFixed(0)} s.\n`,
  );
}
