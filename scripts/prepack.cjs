// Runs in a package's folder before npm packs it: puts the texts beside it that every tarball holds.
const { copyFileSync } = require("node:fs");
const { join } = require("node:path");

for (const name of ["LICENSE", "CHANGELOG.md"]) copyFileSync(join(__dirname, "..", name), join(process.cwd(), name));
