// Runs in a package's folder before npm packs it: puts the texts beside it that every tarball holds.
const { copyFileSync, cpSync, existsSync, rmSync } = require("node:fs");
const { join } = require("node:path");

const ROOT = join(__dirname, "../..");
for (const name of ["LICENSE", "CHANGELOG.md"]) copyFileSync(join(ROOT, name), name);
if (existsSync("template/.gitignore")) {
  // Npm leaves files of this name out.
  copyFileSync("template/.gitignore", "template/gitignore");
  for (const name of ["folders.js", "terminal.js"]) copyFileSync(join(ROOT, "sdk/dist", name), name);
  rmSync("examples", { recursive: true, force: true });
  cpSync(join(ROOT, "examples"), "examples", {
    recursive: true,
    filter: (path) => !/node_modules|Pulumi\.\w+\.yaml$/.test(path),
  });
}
