#!/usr/bin/env node
import { guardOutput } from "@tunnelplane/sdk/node";
import { Command } from "commander";
import { devCommand } from "./commands/dev";
import { renderCommand } from "./commands/render";
import { runCommand } from "./commands/run";
import { trafficCommand } from "./commands/traffic";
import { tryCommand } from "./commands/try";
import { serverProgram } from "./dev/project";
import { VERSION } from "./version";

const program = new Command("tunnelplane-gateway")
  .description("Makes Envoy do what edges, policies and credentials declare")
  .version(VERSION);
for (const command of [runCommand(), renderCommand(), trafficCommand(), tryCommand(), devCommand(installed)])
  program.addCommand(command);
/** The server that the project has installed, and this gateway. */
function installed(project: string) {
  return { server: [serverProgram(project)], gateway: [__filename] };
}

guardOutput();
program.parseAsync().catch((error: Error) => {
  console.error(`tunnelplane-gateway: ${error.message}`);
  process.exit(1);
});
