import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process and all its descendants, also those in process groups of their own, such as plugins. */
export function treeOf(root: number): number[] {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const children = rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === root);
  return [root, ...children.flatMap(([child]) => treeOf(child as number))];
}

/** Sends a signal; 0 only checks. Returns whether the process exists. */
export function signalled(pid: number, signal: "SIGKILL" | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    return false;
  }
}

/** Whether a process is Pulumi's engine, or a plugin of it. */
export const isEngine = (pid: number): boolean => {
  try {
    return /pulumi/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, 3).join(" "));
  } catch {
    return false; // it has ended
  }
};
