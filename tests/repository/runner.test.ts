import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/folder";

const ROOT = join(__dirname, "../..");
/** Where the runs within this run leave a file each, and how many of them fail. */
const { TESTS_WITHIN: folder, TESTS_FAILURES: failures } = process.env;

if (folder)
  describe("A run within the run of all tests", () => {
    it("passes after some failures", () => {
      const before = readdirSync(folder).length;
      writeFileSync(join(folder, String(before)), "");
      expect(before).to.be.at.least(Number(failures));
    });
  });
else
  describe("The command that runs the tests", () => {
    const runs = newFolder();
    const run = (failures: number) => {
      const within = mkdtempSync(join(runs, "run-"));
      return spawnSync(
        process.execPath,
        ["tools/scripts/test.cjs", "repository/runner.test.ts", "unit/server/ids.test.ts"],
        {
          cwd: ROOT,
          encoding: "utf8",
          env: {
            ...{ ...process.env, TESTS_WITHIN: within, TESTS_FAILURES: String(failures) },
            TESTS_POSTGRES: undefined,
          },
        },
      );
    };

    it("runs a file that failed once more, alone, and passes if it passes then, with the first failure in its report", () => {
      const { status, stdout } = run(1);
      expect(stdout).to.match(
        /\nPassed only at the second try:\ntests\/repository\/runner\.test\.ts\n.*passes after some failures.*\nTotal: \d+ passed, 0 failed\n$/s,
      );
      expect(status).to.equal(0);
    });

    it("ends with 1 where a file fails twice, and shows the failure again at the end", () => {
      const { status, stdout } = run(2);
      expect(stdout).to.match(
        /──── failed in tests\/repository\/runner\.test\.ts:\n.*\nTotal: \d+ passed, 1 failed\n$/s,
      );
      expect(stdout).not.to.contain("Passed only");
      expect(status).to.equal(1);
    });

    it("says nothing of a second try where all files pass", () => {
      const { status, stdout } = run(0);
      expect(stdout).to.match(/Total: \d+ passed, 0 failed\n$/);
      expect(stdout).not.to.contain("second try");
      expect(status).to.equal(0);
    });
  });
