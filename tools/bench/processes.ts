import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100; // USER_HZ, which Linux fixes for what it shows in /proc

/** The fields of proc(5) `stat` after the process name, which may contain spaces. */
function statOf(pid: number | "self"): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
}

/** Processor time of processes and of their ended descendants, in seconds; undefined if there is no /proc. */
export function cpuSeconds(pids: readonly (number | "self")[]): number | undefined {
  try {
    const ticks = pids.flatMap((pid) => statOf(pid).slice(11, 15)); // utime, stime, cutime, cstime
    return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/**
 * Processor time of a process and its children, running and ended, in seconds; undefined if there is no
 * /proc.
 */
export function cpuSecondsOfFamily(parent: number): number | undefined {
  try {
    const running = readdirSync("/proc").filter(
      (name) => /^\d+$/.test(name) && parentOf(Number(name)) === parent,
    );
    return cpuSeconds([parent, ...running.map(Number)]);
  } catch {
    return undefined;
  }
}

function parentOf(pid: number): number | undefined {
  try {
    return statOf(pid)[1];
  } catch {
    return undefined; // it ended meanwhile
  }
}

/**
 * Watches how much of the processors' time others on the same host take ("steal" in proc(5)). The returned
 * function answers the share since then, 0 to 1; undefined if there is no /proc.
 */
export function watchStolen(): () => number | undefined {
  const before = processorTimes();
  return () => {
    const after = processorTimes();
    if (!before || !after || after.all === before.all) return undefined;
    return (after.stolen - before.stolen) / (after.all - before.all);
  };
}

function processorTimes(): { stolen: number; all: number } | undefined {
  try {
    const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
    const ticks = line.split(/ +/).slice(1, 9).map(Number); // guests are part of user and nice
    return { stolen: ticks[7] ?? 0, all: ticks.reduce((sum, count) => sum + count, 0) };
  } catch {
    return undefined;
  }
}

/** Memory of a process and all its descendants now, in bytes. Shared pages count for each of them. */
function memoryOfTree(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const belongs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || belongs(parents.get(pid)));
  let bytes = 0;
  for (const pid of parents.keys()) {
    if (!belongs(pid)) continue;
    try {
      bytes +=
        Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
    } catch {}
  }
  return bytes;
}

const SAMPLE_MS = 100;

/**
 * Watches the memory of a process and its descendants. The returned function stops watching and answers the
 * peak.
 */
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
