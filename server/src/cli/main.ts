#!/usr/bin/env node
import "@tunnelplane/sdk/compiled";
import { guardOutput, loadInLittleMemory } from "@tunnelplane/sdk/node";

const args = process.argv.slice(2);
// Before anything large loads.
if (args[0] === "serve") loadInLittleMemory();
guardOutput();
const { run }: typeof import("./run") = require("./run");
run(args).then((code) => {
  // A server that was started goes on.
  if (code !== 0) process.exit(code);
});
