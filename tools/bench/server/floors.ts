import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadGenerator } from "../load";
import { type Contender, fill } from "./contender";
import { type OperationName, SUBJECTS } from "./subject";

export type FloorKind = "one by one" | "group commit" | "postgres";

/**
 * The floor on SQLite that an operation is compared with. There is no goal: a floor does none of our work, so
 * it is a limit to come near.
 */
export const FLOORS: Readonly<Record<OperationName, Exclude<FloorKind, "postgres">>> = {
  get: "one by one",
  "list 100": "one by one",
  create: "group commit",
  patch: "group commit",
  "put a module": "group commit",
  "mix 60/10/15/15": "one by one",
};

/**
 * Starts a floor in a process of its own, with as many objects of the same sizes as our servers have.
 * @param sizes in bytes, in the order of SUBJECTS
 */
export async function startFloor(
  kind: FloorKind,
  place: string,
  sizes: readonly number[],
  generator: LoadGenerator,
): Promise<Contender> {
  const child = fork(join(__dirname, "floor.ts"), [kind, place, ...sizes.map(String)]);
  const [url] = (await once(child, "message")) as [string];
  const stop = async () => {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  };
  const process = { urls: [url], pids: [child.pid as number], headers: {}, backendId: "none" };
  return fill({ ...process, subjects: SUBJECTS, stop }, generator);
}
