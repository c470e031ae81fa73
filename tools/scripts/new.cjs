// `npm run new -- <folder> [options]`: a project of one's own that uses the packages of this clone, from
// tarballs.
const { join } = require("node:path");
const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { spawnSync } = require("node:child_process");
const { pack, publishedPackages, ROOT } = require("./packages.cjs");

const scratch = mkdtempSync(join(tmpdir(), "tunnelplane-new-"));
try {
  const packages = publishedPackages().filter(({ folder }) => folder !== "create-tunnelplane");
  pack(scratch, packages);
  const create = join(ROOT, "create-tunnelplane/create.cjs");
  // npm runs scripts in the clone; folders are meant from where npm was called.
  const cwd = process.env.INIT_CWD || process.cwd();
  const { status } = spawnSync(process.execPath, [create, ...process.argv.slice(2), "--packages", scratch], {
    cwd,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
  // Last, where a reader looks for what comes next.
  if (status === 0)
    spawnSync(process.execPath, [join(__dirname, "setup.cjs"), "engine", "tell"], { stdio: "inherit" });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
