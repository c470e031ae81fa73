import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100; // USER_HZ, which Linux fixes for what it shows in /proc

/** Fields of proc(5) `stat`, counted from the one behind the name, which may hold spaces. */
function statOf(pid: number | "self"): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
}

/** Seconds of processor time of processes, each with its descendants that have ended; undefined where there is no /proc. */
export function cpuSeconds(pids: readonly (number | "self")[]): number | undefined {
  try {
    const ticks = pids.flatMap((pid) => statOf(pid).slice(11, 15)); // utime, stime, cutime, cstime
    return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** Bytes that a process and all its descendants hold in memory now; pages they share count for each of them. */
function memoryOfTree(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), statOf(Number(name))[1] as number);
    } catch {} // it ended just now
  }
  const belongs = (pid: number | undefined): boolean => pid !== undefined && (pid === root || belongs(parents.get(pid)));
  let bytes = 0;
  for (const pid of parents.keys()) {
    if (!belongs(pid)) continue;
    try {
      bytes += Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
    } catch {}
  }
  return bytes;
}

const SAMPLE_MS = 100;

/** Watches the memory of a process and its descendants, until it is asked for the peak. */
export function watchMemory(root: number): () => number | undefined {
  let peak: number | undefined;
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak ?? 0, memoryOfTree(root));
    } catch {} // no /proc
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return peak;
  };
}
