import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** The lines of a page's `sh` blocks, in order, without what only a person can do. */
export function commandsIn(page: string): string[] {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.replaceAll("\\\n", "").split("\n")).filter((line) => line.trim() && !line.startsWith("#"));
}

/** The lines that a page says are printed, without what stands around them. */
export const linesPrinted = (page: string): string[] =>
  [...readFileSync(page, "utf8").matchAll(/^```console\n(.*?)^```/gms)]
    .flatMap(([, block = ""]) => block.split("\n").map((line) => line.trim()))
    .filter(Boolean);

export interface Shell {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What a reader puts in the place of an ellipsis or an example, by what stands in the page. */
  readonly replace?: Readonly<Record<string, string>>;
}

/**
 * Types commands into one shell, one after the other, as a reader does, and returns what was printed, each after its command.
 * Fails with that if one of them fails.
 */
export async function typed(commands: readonly string[], { folder, env, replace = {} }: Shell): Promise<string> {
  const lines = commands.map((line) => Object.entries(replace).reduce((text, [from, to]) => text.replaceAll(from, to), line));
  const script = lines.map((line) => `echo ${quoted(`$ ${line}`)}\n${line}`).join("\n");
  const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      printed += chunk;
    });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`A command failed with ${code}:\n${printed}`);
  return printed;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
