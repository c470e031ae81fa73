import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";

const ROOT = join(__dirname, "../..");

if (process.env.TESTS_RUN_WITHIN)
  describe("A run within the run of all tests", () => {
    it("fails where it is asked to", () => {
      expect(process.env.TESTS_RUN_WITHIN).to.equal("passes");
    });
  });
else
  describe("The command that runs the tests", () => {
    // Two folders, since only several processes share a PostgreSQL.
    const run = (how: string) =>
      spawnSync(
        process.execPath,
        ["scripts/test.cjs", "repository/runner.test.ts", "unit/server/rounds.test.ts"],
        {
          cwd: ROOT,
          encoding: "utf8",
          env: {
            ...process.env,
            TESTS_RUN_WITHIN: how,
            TESTS_LOGS: "test-logs-within",
            TESTS_POSTGRES: undefined,
          },
        },
      );

    it("ends with 1 where a test failed, and shows the failure again at the end", () => {
      const { status, stdout } = run("fails");
      expect(stdout).to.match(
        /failed in tests\/repository.*fails where it is asked to.*Total: \d+ passed, 1 failed\n$/s,
      );
      expect(status).to.equal(1);
    });

    it("ends with 0 where all passed", () => {
      const { status, stdout } = run("passes");
      expect(stdout).to.match(/Total: \d+ passed, 0 failed\n$/);
      expect(status).to.equal(0);
    });
  });
