import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** Commands of a page, and what it says that they print. */
export type Step = { readonly commands: readonly string[]; readonly shown: readonly string[] };

/**
 * What a page has its reader do, in order: each `sh` block, and the lines behind `$` in `console` blocks. The
 * other lines of a `console` block are what is printed.
 * @param section only what stands below this heading
 */
export function stepsOf(page: string, section?: string): Step[] {
  const text = readFileSync(page, "utf8");
  const [, within = ""] = section === undefined ? ["", text] : text.split(`\n## ${section}\n`);
  const steps: { commands: string[]; shown: string[] }[] = [];
  for (const [, language, block = ""] of (section === undefined
    ? text
    : (within.split("\n## ")[0] ?? "")
  ).matchAll(/^```(sh|console)\n(.*?)^```/gms)) {
    if (language === "sh") steps.push({ commands: [], shown: [] });
    for (const line of block.replaceAll("\\\n", "").split("\n")) {
      const command = language === "sh" ? line : /^\$ (.*)/.exec(line)?.[1];
      if (language === "console" && command !== undefined) steps.push({ commands: [], shown: [] });
      if (command?.trim() && !command.startsWith("#")) steps.at(-1)?.commands.push(command);
      else if (language === "console" && line.trim()) steps.at(-1)?.shown.push(line.trim());
    }
  }
  return steps;
}

export interface Shell {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The reader's own values for placeholders of the page: an ellipsis, an example's address. */
  readonly replace?: Readonly<Record<string, string>>;
}

/** Marks a command that does not end: a reader has a terminal for it. */
const GOES_ON = /# .*leave it running/;
const NEXT_STEP = "\u0001";

const PRELUDE = `set -m; exec 2>&1; running=$(mktemp -d)
trap 'for job in $(jobs -p); do kill -- -$job 2>/dev/null; done; wait; rm -rf $running' EXIT
printed() {
  for i in {1..600}; do if grep -ohE "$1" $running/* 2>/dev/null; then return; fi; sleep 0.1; done
  echo "$1 was not printed:" >&2; cat $running/* >&2; exit 1
}`;

/**
 * Follows a page: types its commands into one shell, as a reader does, and compares what is printed with what
 * the page shows. Ids, times and keys differ from run to run, so any stands for any; "…" stands for any text.
 * Returns all that was printed. A command that goes on runs beside the others; \`printed TEXT\` in a
 * replacement waits for what one of them prints.
 */
export async function followed(steps: readonly Step[], shell: Shell): Promise<string> {
  const script = steps.map(
    ({ commands }) => `printf '${NEXT_STEP}'\n${commands.map((line) => scriptOf(line, shell)).join("\n")}`,
  );
  const output = await run([PRELUDE, ...script].join("\n"), shell);
  const parts = output.split(NEXT_STEP).slice(1);
  for (const [at, { shown }] of steps.entries()) compared(parts[at] ?? "", shown);
  return output.replaceAll(NEXT_STEP, "");
}

/** Fails if a line that is shown was not printed, or not after the one before. */
export function compared(printed: string, shown: readonly string[]): void {
  let rest = alike(printed);
  for (const line of shown) {
    const found = matcher(line).exec(rest);
    if (!found) throw new Error(`The page shows "${line}", which was not printed there:\n${printed}`);
    rest = rest.slice(found.index + found[0].length);
  }
}

export const typed = (commands: readonly string[], shell: Shell): Promise<string> =>
  followed([{ commands, shown: [] }], shell);

function scriptOf(line: string, { replace = {} }: Shell): string {
  const command = Object.entries(replace).reduce((text, [from, to]) => text.replaceAll(from, to), line);
  const echo = `echo ${quoted(`$ ${line}`)}`;
  return GOES_ON.test(line)
    ? `${echo}\n{ ${command.replace(GOES_ON, "")}; } >"$(mktemp -p $running)" 2>&1 </dev/null &`
    : `${echo}\n${command}`;
}

async function run(script: string, { folder, env }: Shell): Promise<string> {
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

const ID = /\b[a-z]+_(?:[0-9A-Za-z]{27}\b|…)/g;
const TIME = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const ADDRESS = /127\.0\.0\.1:\d+/g;

const alike = (text: string): string =>
  text.replaceAll(ID, "ID").replaceAll(TIME, "TIME").replaceAll(ADDRESS, "ADDRESS").replaceAll(/ +/g, " ");

const matcher = (line: string): RegExp =>
  new RegExp(
    alike(line)
      .split("…")
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
      .join(".*"),
  );

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
