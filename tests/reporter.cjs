const { writeFileSync } = require("node:fs");
const { relative } = require("node:path");
const { reporters, Runner } = require("mocha");

const events = Runner.constants;

/**
 * Mocha's own report of one file; of several, a line for each as it ends, and the failures at the end. Both close
 * with a plain count. Writes what became of each file to the path in TESTS_RESULT: `{path: {passed, failed,
 * skipped, seconds, failure}}`, where `failure` has Mocha's words.
 */
module.exports = class FileByFile extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    const isParallel = runner.isParallelMode();
    if (!isParallel) new reporters.Spec(runner, options);
    const files = {};
    let current = "no file";
    const add = ({ file }, field, amount = 1) => {
      if (file) current = relative(process.cwd(), file); // hooks of all files have none
      files[current] ??= { passed: 0, failed: 0, skipped: 0, seconds: 0, failure: "" };
      files[current][field] += amount;
    };
    runner.on(events.EVENT_TEST_PASS, (test) => add(test, "passed"));
    runner.on(events.EVENT_TEST_PENDING, (test) => add(test, "skipped"));
    runner.on(events.EVENT_TEST_FAIL, (test, error) => {
      add(test, "failed");
      add(test, "failure", `  ${test.fullTitle()}\n${error.stack ?? error.message}\n`);
    });
    for (const event of [events.EVENT_TEST_END, events.EVENT_HOOK_END])
      runner.on(event, (runnable) => add(runnable, "seconds", (runnable.duration ?? 0) / 1000));
    const printed = new Set();
    // The events of a file come together, when it has ended; its outermost suite ends last.
    runner.on(events.EVENT_SUITE_END, (suite) => {
      if (!isParallel || !suite.root) return;
      for (const [path, { passed, failed, skipped, seconds }] of Object.entries(files)) {
        if (printed.has(path)) continue;
        printed.add(path);
        const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`];
        console.log(
          `${failed ? "✗" : "✓"} ${path}: ${counts.filter(Boolean).join(", ")} (${seconds.toFixed(1)} s)`,
        );
      }
    });
    runner.on(events.EVENT_RUN_END, () => {
      if (process.env.TESTS_RESULT) writeFileSync(process.env.TESTS_RESULT, JSON.stringify(files));
      if (isParallel) return;
      const { passes, failures, pending } = runner.stats;
      console.log(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ""}`);
    });
  }
};
