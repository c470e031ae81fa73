import { execFileSync } from "node:child_process";
import { isObject } from "@tunnelplane/sdk/contract";

/** The oldest version that was tried; older ones lack fields that are used here, and ignore them silently. */
const OLDEST = [1, 40] as const;
/** It says its version in a moment; a busy machine needs some of these. */
const MAX_MS = 10_000;
const VERSION = /\/\d+\.\d+\.\d+/;

/** The version in what Envoy says about itself; empty where there is none. */
export const versionIn = (output: string): string => VERSION.exec(output)?.[0].slice(1) ?? "";

/** The reason why a version of Envoy cannot be used, if there is one. @param where Envoy is, for people */
export function faultOfVersion(version: string, where: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === OLDEST[0] && minor >= OLDEST[1]) return undefined;
  const what = major > OLDEST[0] ? "newer than this gateway knows" : "too old";
  return `Envoy ${version} ${where} is ${what}: ${OLDEST.join(".")} or a newer ${OLDEST[0]}.x is needed; install it, or say where it is with --envoy`;
}

/** @throws saying why this Envoy cannot be used */
export function checkProgram(program: string): void {
  let output: string;
  try {
    output = execFileSync(program, ["--version"], { encoding: "utf8", stdio: "pipe", timeout: MAX_MS });
  } catch (error) {
    const code = isObject(error) ? error.code : undefined;
    throw new Error(
      `Envoy could not be run as ${program} (${code ?? "it failed"}): install it, or say where it is with --envoy or TUNNELPLANE_ENVOY`,
    );
  }
  const version = versionIn(output);
  const fault =
    version === ""
      ? `${program} is no Envoy, because it says no version: name Envoy's program with --envoy`
      : faultOfVersion(version, `at ${program}`);
  if (fault !== undefined) throw new Error(fault);
}

const MAX_CAUSE_LENGTH = 300;

/**
 * Only the cause of a fault that Envoy found: the whole message also quotes keys and names of other edges.
 */
export function causeIn(output: string): string | undefined {
  const own = output.split(/initializing configuration '[^']*': /).at(-1) ?? output;
  const constraint = /^: (Proto constraint [^\n]*)/m.exec(own)?.[1]?.split("caused by ").at(-1);
  const first = own.split("\n", 1)[0]?.split(/(?<=\)): \{|:? goo\.gle\/debug/)[0];
  return (constraint ?? first)?.replaceAll(/\s+/g, " ").trim().slice(0, MAX_CAUSE_LENGTH) || undefined;
}
