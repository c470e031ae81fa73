#!/usr/bin/env node
import { guardOutput } from "@tunnelplane/sdk/node";
import { run } from "./run";

guardOutput();
run(process.argv.slice(2)).then((code) => {
  // A server that was started goes on.
  if (code !== 0) process.exit(code);
});
