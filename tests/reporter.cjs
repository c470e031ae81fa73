const { relative } = require("node:path");
const { reporters, Runner } = require("mocha");
const { between, NOTHING, soFar } = require("./costs.cjs");

const { EVENT_RUN_END, EVENT_SUITE_BEGIN, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } =
  Runner.constants;

/**
 * Mocha's own report, closed by one plain line. Tells the process that started it about each file as it ends,
 * if there is one.
 */
module.exports = class FileByFile extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    if (!process.send) return;
    let current;
    let before = NOTHING;
    const end = () => {
      if (!current) return;
      const after = soFar();
      process.send({ ...current, cost: between(before, after) });
      before = after;
      current = undefined;
    };
    runner.on(EVENT_SUITE_BEGIN, ({ file }) => {
      if (!file || file === current?.path) return;
      end();
      current = {
        path: file,
        file: relative(process.cwd(), file),
        passed: 0,
        failed: 0,
        skipped: [],
      };
    });
    runner.on(EVENT_TEST_PASS, () => current && current.passed++);
    runner.on(EVENT_TEST_FAIL, () => current && current.failed++);
    runner.on(EVENT_TEST_PENDING, (test) => current?.skipped.push(test.fullTitle()));
    runner.on(EVENT_RUN_END, () => {
      end();
      // An open channel would keep this process alive.
      process.disconnect();
    });
  }

  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    console.log(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ""}`);
    const { wall, cpu, engines, servers, envoys } = soFar();
    console.log(
      `${wall.toFixed(1)} s, CPU ${cpu.toFixed(1)} s; starts: ${engines} engines, ${servers} servers, ${envoys} Envoys`,
    );
  }
};
