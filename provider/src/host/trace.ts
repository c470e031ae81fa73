import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as pulumi from "@pulumi/pulumi";

interface Frame {
  readonly uri: string;
}

/** Where Pulumi finds the frames that it records with a resource; its types hide that. */
interface Traced {
  stackTrace?(skip: number): (Frame | undefined)[];
}

/** This package, as it is built and as it is written: a program may run with source maps. */
const OURS = ["dist", "src"].map((folder) => pathToFileURL(join(__dirname, "../..", folder, "/")).href);

/**
 * Has Pulumi record one line with a resource that is being made: the program's own. It would record the whole way there, a fifth
 * of all that the state holds of a small resource, which the engine writes again with every step (1,541 bytes of a backend
 * became 1,242, 2026-11-22, engine 3.258).
 *
 * @returns puts back what was before; call it when the resource is made
 */
export function recordOneLine(): () => void {
  const traced = pulumi.Resource as unknown as Traced;
  const { stackTrace } = traced;
  if (typeof stackTrace !== "function") return () => undefined;
  traced.stackTrace = (skip) => {
    const frames = stackTrace.call(traced, skip + 1);
    const first = frames.find((frame) => frame && !OURS.some((folder) => frame.uri.startsWith(folder)));
    return first ? [first] : frames.slice(0, 1);
  };
  return () => {
    traced.stackTrace = stackTrace;
  };
}
