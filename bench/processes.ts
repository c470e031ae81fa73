import { readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100; // USER_HZ, which Linux fixes for what it shows in /proc

/** Seconds of processor time of this process and of all its descendants that have ended; undefined where there is no /proc. */
export function cpuSeconds(): number | undefined {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // Fields 14 to 17 of proc(5), counted behind the name, which may hold spaces.
    const [utime, stime, cutime, cstime] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 15)
      .map(Number);
    return [utime, stime, cutime, cstime].reduce<number>((sum, ticks) => sum + (ticks ?? 0), 0) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
