import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

const ROOT = join(__dirname, "../..");

describe("The packages that Pulumi's generators make for other languages", () => {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-sdks-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("are made by one command; those for TypeScript and Python compile, and name the plugin that they need", function () {
    if (spawnSync("go", ["version"]).error) {
      console.log("      skipped: the generators are built with Go, which is not here");
      return this.skip();
    }
    execFileSync(process.execPath, ["scripts/sdks.cjs", folder], { cwd: ROOT, stdio: "ignore" });
    const plugin = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));
    expect(plugin("nodejs/package.json").pulumi).to.include({ resource: true, name: "tunnelplane" });
    expect(plugin("python/pulumi_tunnelplane/pulumi-plugin.json")).to.include({ resource: true, name: "tunnelplane" });
    expect(existsSync(join(folder, "go/tlsEdge.go"))).to.equal(true);

    symlinkSync(join(ROOT, "node_modules"), join(folder, "nodejs/node_modules"));
    const tsc = [join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", join(folder, "nodejs"), "--types", "node"];
    const compiled = spawnSync(process.execPath, [...tsc, "--ignoreDeprecations", "6.0"], { encoding: "utf8" });
    expect(compiled.stdout).to.equal("");
    const python = spawnSync("python3", ["-m", "compileall", "-q", join(folder, "python")], { encoding: "utf8" });
    expect(python.status, python.stdout + python.stderr).to.equal(0);
  });
});
