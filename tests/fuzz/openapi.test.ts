import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { ServerProcess } from "../../support/server";

const FUZZER = join(__dirname, "../../node_modules/.tunnelplane/schemathesis/bin/schemathesis");
const LONGEST_MS = 300_000;

describe("Requests made from the OpenAPI document", () => {
  if (!existsSync(FUZZER)) {
    it("skipped: the fuzzer could not be installed, because Python 3 with venv is missing", function () {
      this.skip();
    });
    return;
  }

  it("get no 5xx and no answer outside of that document, whatever they are", async function () {
    this.timeout(LONGEST_MS);
    const server = await ServerProcess.start({ args: ["--log-level", "error"] });
    const args = [
      ...["--config-file", join(__dirname, "schemathesis.toml"), "run", `${server.url}/openapi.json`, "--checks", "all", "--no-color"],
      ...["--phases", "examples,coverage,fuzzing", "--header", `Authorization: Bearer ${server.apiKey}`, "--header", "Service-Version: 2"],
    ];
    const folder = mkdtempSync(join(tmpdir(), "tunnelplane-fuzz-")); // the fuzzer leaves notes where it runs
    try {
      const { code, output } = await run(FUZZER, args, folder);
      expect(code, output.slice(-8_000)).to.equal(0);
      expect(output).to.match(/Tested: \d+/);
      expect(server.log, "nothing failed inside").to.equal("");
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

function run(command: string, args: string[], cwd: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, timeout: LONGEST_MS, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    );
  });
}
