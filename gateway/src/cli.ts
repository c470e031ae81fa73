#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { renderCommand } from "./commands/render";
import { runCommand } from "./commands/run";

const { version } = JSON.parse(readFileSync(join(__dirname, "../package.json"), "utf8")) as { version: string };
const program = new Command("tunnelplane-gateway")
  .description("Makes Envoy do what edges, policies and credentials declare")
  .version(version);
for (const command of [runCommand(), renderCommand()]) program.addCommand(command);
program.parseAsync().catch((error: Error & { code?: string }) => {
  const cure = error.code === "EADDRINUSE" ? "; another process listens there: stop it, or choose another with --metrics" : "";
  console.error(`tunnelplane-gateway: ${error.message}${cure}`);
  process.exit(1);
});
