import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { asMarkdown } from "./print";
import type { Section } from "./section";

/** All figures of one run, and the machine. */
export interface Result {
  readonly date: string;
  /** Ends in "+" if files were changed since. */
  readonly commit: string;
  readonly node: string;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly loadBefore: number;
  };
  /** Whether it was a quick look, which is shorter, smaller and less exact. */
  readonly short: boolean;
  readonly sections: readonly Section[];
}

const ROOT = join(__dirname, "../../..");

export function describeRun(short: boolean): Omit<Result, "sections"> {
  const [first] = cpus();
  return {
    date: new Date().toISOString(),
    commit: commit(),
    node: process.versions.node,
    machine: {
      processor: first?.model.trim() ?? "unknown",
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      loadBefore: Math.round((loadavg()[0] as number) * 10) / 10,
    },
    short,
  };
}

function commit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    return (
      git("rev-parse", "--short=12", "HEAD") +
      (git("status", "--porcelain", "--untracked-files=no") ? "+" : "")
    );
  } catch {
    return "unknown";
  }
}

export function summary({ date, commit, node, machine, short }: Omit<Result, "sections">): string {
  const { processor, cores, memoryGiB, loadBefore } = machine;
  return `${date.slice(0, 10)}, commit ${commit}, Node ${node}, ${cores} × ${processor}, ${memoryGiB} GiB, load ${loadBefore} before${short ? "; a quick look (--short)" : ""}`;
}

export function writeResult(file: string, result: Result): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
}

/** One part of a run. */
export interface Part {
  readonly name: string;
  readonly sections: readonly Section[];
  /** The share of the processors' time that others on the same host took meanwhile, 0 to 1, if known. */
  readonly stolen: number | undefined;
}

/** In words that follow the name of a part, or the summary of a run. */
export const stolenText = (stolen: number | undefined): string =>
  stolen === undefined ? "" : `, ${Math.round(stolen * 100)} % taken by others on the host`;

/** Replaces the tables of one part in a page, between its marks. Everything else stays. */
export function writeDocs(file: string, run: Omit<Result, "sections">, measured: Part): void {
  const { name: part, sections, stolen } = measured;
  const page = readFileSync(file, "utf8");
  const tables = [`${summary(run)}${stolenText(stolen)}.`, ...sections.map(asMarkdown)].join("\n\n");
  const [open, close] = [`<!-- measured: ${part} -->`, `<!-- /measured: ${part} -->`];
  const [start, end] = [page.indexOf(open), page.indexOf(close)];
  if (start < 0 || end < start)
    throw new Error(
      `${file} has no place for the tables of ${part}: expected the lines "${open}" and "${close}"`,
    );
  writeFileSync(file, `${page.slice(0, start)}${open}\n\n${tables}\n\n${page.slice(end)}`);
}
