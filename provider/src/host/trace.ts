import { isAbsolute, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as pulumi from "@pulumi/pulumi";

interface Frame {
  readonly uri: string;
  readonly line: number;
  readonly column: number;
}

/** The function from which Pulumi gets the frames that it records with a resource; its types hide it. */
interface Traced {
  stackTrace?(skip: number): (Frame | undefined)[];
}

/** This package, as it is built and as it is written (a program may run with source maps), and Pulumi's. */
const NOT_THE_PROGRAM = [
  ...["dist", "src"].map((folder) => join(__dirname, "../..", folder, "/")),
  /[\\/]node_modules[\\/]@pulumi[\\/]/,
];

/**
 * Has Pulumi record one line with a new resource: the program's own. By itself it would record all lines that
 * led there, a fifth of the state of a small resource, which the engine writes again with every step (1,541
 * bytes of a backend became 1,242, 2026-11-22, engine 3.258). And it would not see the line at the top of an
 * ES module.
 *
 * Nor does Pulumi note the way to each promise that it makes for the resource, unless it is asked for leaks
 * among them: in TypeScript, where each line is looked up in a source map, that took half of a program's time
 * for a resource.
 *
 * @returns a function that restores Pulumi's own behaviour; call it when the resource is made
 */
export function recordOneLine(): () => void {
  const traced = pulumi.Resource as unknown as Traced;
  const { stackTrace } = traced;
  const { stackTraceLimit } = Error;
  if (typeof stackTrace !== "function") return () => undefined;
  traced.stackTrace = (skip) => {
    const line = lineOfProgram();
    return line ? [line] : stackTrace.call(traced, skip + 1).slice(0, 1);
  };
  if (!process.env.PULUMI_DEBUG_PROMISE_LEAKS) Error.stackTraceLimit = 1;
  return () => {
    traced.stackTrace = stackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  };
}

/** The first line of the stack that is neither ours nor Pulumi's nor Node's. */
function lineOfProgram(): Frame | undefined {
  const { stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = Number.POSITIVE_INFINITY;
    for (const text of new Error().stack?.split("\n") ?? []) {
      // In a function "at name (file)", and at the top of an ES module "at file", where the file is a URL.
      const [, source = "", line, column] =
        /^\s*at (?:async )?(?:.* \()?(.+?):(\d+):(\d+)\)?$/.exec(text) ?? [];
      const file = source.startsWith("file:") ? fileURLToPath(source) : source;
      if (!isAbsolute(file)) continue;
      if (
        NOT_THE_PROGRAM.some((part) => (typeof part === "string" ? file.startsWith(part) : part.test(file)))
      )
        continue;
      return { uri: pathToFileURL(file).href, line: Number(line), column: Number(column) };
    }
    return undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * An error that was thrown meanwhile, with the lines that led to the resource after the one line that it has.
 */
export function withWayHere(error: unknown): unknown {
  if (error instanceof Error) error.stack += `\n${new Error().stack?.split("\n").slice(2).join("\n")}`;
  return error;
}
