import { isDeepStrictEqual, styleText } from "node:util";
import type { Run } from "../../tests/support/engine";

const started = Date.now();
let checks = 0;

export function heading(text: string): void {
  console.log(`\n${styleText("bold", text)}`);
}

export function say(text: string): void {
  console.log(`  ${text}`);
}

/** Prints the engine's own output, without URNs and ids. */
export function show(stdout: string): void {
  const lines = stdout.split("\n").filter((line) => line.trim() && !/^\s*\[(urn|id)=/.test(line));
  console.log(
    lines
      .map((line) => styleText("dim", `  │ ${line.replace("pulumi-nodejs:dynamic/tunnelplane:", "")}`))
      .join("\n"),
  );
}

/** Prints a claim that was just checked. If it does not hold, the demo ends. */
export function expectThat(what: string, holds: boolean): void {
  if (!holds) throw new Error(`Not true: ${what}`);
  checks++;
  console.log(`  ${styleText("green", "✓")} ${what}`);
}

/** Checks the engine's steps, as `<op> <name> <properties>` in order. Leaves out unchanged resources. */
export function expectSteps(what: string, run: Run, expected: readonly string[]): void {
  const seen = run.steps
    .filter(({ op }) => op !== "same")
    .map(({ op, name, changes }) => [op, name, ...changes].join(" "));
  if (!isDeepStrictEqual(seen, expected))
    throw new Error(
      `Not true: ${what}\nexpected ${JSON.stringify(expected)}\n     saw ${JSON.stringify(seen)}`,
    );
  expectThat(what, true);
}

export function finish(): void {
  console.log(
    `\n${styleText("bold", `All ${checks} claims checked against the server`)}, in ${((Date.now() - started) / 1000).toFixed(0)} s.

Next, your own project, which uses this clone and begins with a README of ten minutes:

  npm run new -- ../my-tunnels
  cd ../my-tunnels && npm install

docs/tutorial.md takes the same steps slowly; docs/index.md lists all pages.\n`,
  );
}
