#!/usr/bin/env node
import { guardOutput, loadInLittleMemory } from "@tunnelplane/sdk/node";

const args = process.argv.slice(2);
// Before anything large loads.
const [first, second = "run"] = args;
if (first === "serve" || (first === "gateway" && (second === "run" || second.startsWith("-"))))
  loadInLittleMemory();
guardOutput();
const { run }: typeof import("@tunnelplane/server/commands") = require("@tunnelplane/server/commands");
const { program }: typeof import("./program") = require("./program");
run(args, program(args)).then((code) => {
  // A server that was started goes on.
  if (code !== 0) process.exit(code);
});
