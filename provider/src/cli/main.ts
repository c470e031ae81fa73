#!/usr/bin/env node
import { guardOutput } from "@tunnelplane/sdk/node";
import { Command } from "commander";
import { adoptCommand } from "./adopt";
import { askCommand } from "./ask";
import { reviewCommand } from "./review";
import { secretsCommand } from "./secrets";

const { version }: { version: string } = require("../../package.json");
const program = new Command("tunnelplane-pulumi")
  .description("Tools for Pulumi programs that declare tunnels")
  .version(version);
for (const command of [adoptCommand(), reviewCommand(), askCommand(), secretsCommand()])
  program.addCommand(command);
guardOutput();
program.parseAsync().catch((error: Error) => {
  console.error(`tunnelplane-pulumi: ${error.message}`);
  process.exitCode = 1;
});
