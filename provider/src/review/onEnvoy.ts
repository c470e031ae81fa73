import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { isObject } from "@tunnelplane/sdk/contract";
import type { DecisionRequest, World } from "@tunnelplane/sdk/meaning";
import type { Report, TriedExample, TriedOnEnvoy } from "./report";
import type { Worlds } from "./worlds";

const PROGRAM = "tunnelplane-gateway";
/** The limit of a trial. */
const MAX_REQUESTS = 1000;
/** A trial takes about a second, and up to five more for each request that Envoy does not answer. */
const MAX_MS = 300_000;
const KEPT_ERROR = 4000;

const notTried = (why: string): TriedOnEnvoy => ({
  sentence: `Not tried on Envoy: ${why}.`,
  requests: 0,
  differing: [],
});

/**
 * @param project the folder in whose `node_modules` the gateway is looked for, before the PATH
 * @param program the gateway's program and its first arguments
 */
export async function tryOnEnvoy(
  report: Report,
  { before, after }: Worlds,
  project: string,
  program: readonly string[] = [PROGRAM],
): Promise<TriedOnEnvoy> {
  const requests = examplesIn(report);
  if (requests.length === 0) return notTried("the report has no example of a request");
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-try-"));
  const file = (name: string, content: object): string[] => {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(content), { mode: 0o600 });
    return [`--${name}`, join(folder, `${name}.json`)];
  };
  try {
    return await run(requests.length, project, [
      ...program,
      "try",
      ...file("before", sent(before)),
      ...file("after", sent(after)),
      ...file("requests", { requests }),
      "--format",
      "json",
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sent = ({ objects, partial, ports }: World): World => ({ objects, partial, ports });

/** Each request once, those that open first. */
function examplesIn({ access, findings }: Report): DecisionRequest[] {
  const found = [...access.opened, ...findings, ...access.closed, ...access.moved];
  const requests = found.flatMap(({ example }) => example?.request ?? []);
  return [...new Map(requests.map((request) => [JSON.stringify(request), request])).values()].slice(
    0,
    MAX_REQUESTS,
  );
}

function run(
  expected: number,
  project: string,
  [program = PROGRAM, ...args]: readonly string[],
): Promise<TriedOnEnvoy> {
  const path = [join(project, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const child = spawn(program, args, {
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
    // Unlike a timeout of the process, it keeps nothing waiting.
    signal: AbortSignal.timeout(MAX_MS),
  });
  const lines: TriedExample[] = [];
  let output = "";
  createInterface({ input: child.stdout }).on("line", (text) => lines.push(...lineIn(text)));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-KEPT_ERROR);
  });
  return new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      resolve(
        notTried(
          error.code === "ENOENT"
            ? `${PROGRAM} is not installed here (npx tunnelplane review, of the package tunnelplane, has it inside)`
            : `${PROGRAM} could not be started (${error.message})`,
        ),
      ),
    );
    child.once("close", () =>
      resolve(lines.length === expected ? judged(lines) : notTried(reasonIn(output))),
    );
  });
}

function lineIn(text: string): TriedExample[] {
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) && typeof line.agrees === "boolean" ? [line as unknown as TriedExample] : [];
  } catch {
    return [];
  }
}

/** The last line that the program printed, without its name. */
const reasonIn = (output: string): string =>
  output.trim().split("\n").at(-1)?.replace(`${PROGRAM}: `, "") || `${PROGRAM} ended before it was done`;

function judged(lines: readonly TriedExample[]): TriedOnEnvoy {
  const differing = lines.filter(({ agrees }) => !agrees);
  const examples = lines.length === 1 ? "the example" : `all ${lines.length} examples`;
  const sentence =
    differing.length === 0
      ? `Tried on Envoy: it does what this report says for ${examples}.`
      : `Tried on Envoy: it does SOMETHING ELSE than this report says for ${differing.length} of ${lines.length} examples.`;
  return { sentence, requests: lines.length, differing };
}
