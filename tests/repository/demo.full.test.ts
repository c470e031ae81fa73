import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ENVOY } from "../support/envoy";

const ROOT = join(__dirname, "../..");

describe("The demo", () => {
  it("runs through the whole story and checks every claim against the server", async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["-r", "./tests/setup.cjs", "-r", "./tests/support/leanPulumi.cjs", "tools/demo/main.ts"],
      { cwd: ROOT },
    );
    for (const step of [
      ...["1. Preview", "2. Up", "3. Preview again", "4. Somebody", "5. Up repairs", "6. The program"],
      ...["7. The clients' authority", "8. Destroy", "9. A request through the declared edge"],
    ]) {
      expect(stdout).to.contain(`\n${step}`);
    }
    if (ENVOY)
      expect(stdout)
        .to.contain("200: hello from a program behind ssh -R")
        .and.to.contain("\n10. The rule changes")
        .and.to.contain("403: ");
    else expect(stdout).to.contain("SKIPPED: no request was made");
    expect(stdout).to.match(/All \d+ claims checked against the server/);
  });
});
