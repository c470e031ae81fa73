import type { Command } from "commander";

/** A line that can be typed, and what it is for. */
export type Example = readonly [line: string, what: string];

const known = new WeakMap<Command, readonly Example[]>();

/** Gives a command examples, which its help and the documentation show. */
export function withExamples(command: Command, ...examples: Example[]): Command {
  known.set(command, examples);
  const width = Math.max(...examples.map(([line]) => line.length));
  return command.addHelpText(
    "after",
    `\nExamples:\n${examples.map(([line, what]) => `  ${line.padEnd(width)}  # ${what}`).join("\n")}`,
  );
}

export const examplesOf = (command: Command): readonly Example[] => known.get(command) ?? [];
