#!/usr/bin/env node
import { guardOutput } from "@tunnelplane/sdk/node";
import { Command } from "commander";
import { devCommand } from "./commands/dev";
import { renderCommand } from "./commands/render";
import { runCommand } from "./commands/run";
import { trafficCommand } from "./commands/traffic";
import { tryCommand } from "./commands/try";
import { VERSION } from "./version";

const program = new Command("tunnelplane-gateway")
  .description("Makes Envoy do what edges, policies and credentials declare")
  .version(VERSION);
for (const command of [runCommand(), renderCommand(), trafficCommand(), tryCommand(), devCommand()])
  program.addCommand(command);
guardOutput();
program.parseAsync().catch((error: Error) => {
  console.error(`tunnelplane-gateway: ${error.message}`);
  process.exit(1);
});
