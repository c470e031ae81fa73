#!/usr/bin/env node
const { existsSync } = require("node:fs");
const { join } = require("node:path");

// Users of the command can do nothing about the embedded database's being called experimental.
const { emitWarning } = process;
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).startsWith("SQLite is an experimental feature"))
    Reflect.apply(emitWarning, process, [warning, ...rest]);
};

// In a clone the build's output; in a tarball one bundle of everything. Node keeps what it compiled: that
// halves the start.
require("node:module").enableCompileCache?.();
const [built, bundled] = ["../dist/main.js", "../bundle/js/main.js"].map((file) => join(__dirname, file));
require(existsSync(built) ? built : bundled);
