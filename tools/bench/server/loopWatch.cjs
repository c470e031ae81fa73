// Loaded into a measured server: keeps how long its event loop was held at most in a file, as JSON in milliseconds:
// `wall` by the clock, and `cpu` in processor time of its thread, which other programs of the machine do not add to.
// A missing file begins anew.
const { existsSync, renameSync, writeFileSync } = require("node:fs");
const { monitorEventLoopDelay } = require("node:perf_hooks");
const { isMainThread } = require("node:worker_threads");

const RESOLUTION_MS = 1;
const EVERY_MS = 100;

if (isMainThread && process.env.BENCH_LOOP_WATCH) {
  const file = process.env.BENCH_LOOP_WATCH;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let cpu = 0;
  let before = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    cpu = Math.max(cpu, (user + system) / 1000);
  }, RESOLUTION_MS).unref();
  setInterval(() => {
    if (!existsSync(file)) {
      delay.reset();
      cpu = 0;
    }
    // Renamed into place, so that nobody reads half of it.
    writeFileSync(`${file}.new`, JSON.stringify({ wall: delay.max / 1e6, cpu }));
    renameSync(`${file}.new`, file);
  }, EVERY_MS).unref();
}
