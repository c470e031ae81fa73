#!/usr/bin/env node
const { existsSync } = require("node:fs");
const { join } = require("node:path");

// Users of the command can do nothing about the embedded database's being called experimental.
const { emitWarning } = process;
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).startsWith("SQLite is an experimental feature"))
    Reflect.apply(emitWarning, process, [warning, ...rest]);
};

// In a clone the build's output; in a tarball one bundle of everything. What was compiled is kept: that halves the
// start.
const isClone = existsSync(join(__dirname, "../dist/main.js"));
require(isClone ? "@tunnelplane/sdk/compiled" : "../bundle/js/compiled.js");
require(isClone ? "../dist/main.js" : "../bundle/js/main.js");
