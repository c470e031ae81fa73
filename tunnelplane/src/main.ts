#!/usr/bin/env node
import { guardOutput } from "@tunnelplane/sdk/node";
import { run } from "@tunnelplane/server/commands";
import { program } from "./program";

guardOutput();
const args = process.argv.slice(2);
run(args, program(args)).then((code) => {
  // A server that was started goes on.
  if (code !== 0) process.exit(code);
});
