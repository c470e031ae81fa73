// Loaded into a measured server: keeps the longest time that its event loop was held in a file, in milliseconds.
// Whoever deletes the file begins anew.
const { existsSync, writeFileSync } = require("node:fs");
const { monitorEventLoopDelay } = require("node:perf_hooks");
const { isMainThread } = require("node:worker_threads");

const RESOLUTION_MS = 1;
const EVERY_MS = 100;

if (isMainThread && process.env.BENCH_LOOP_WATCH) {
  const file = process.env.BENCH_LOOP_WATCH;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  setInterval(() => {
    if (!existsSync(file)) delay.reset();
    writeFileSync(file, String(delay.max / 1e6));
  }, EVERY_MS).unref();
}
