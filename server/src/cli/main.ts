#!/usr/bin/env node
import "@tunnelplane/sdk/node";
import { Command } from "commander";
import { VERSION } from "../server";
import { applyCommand } from "./apply";
import { auditCommand } from "./audit";
import { backupCommand, restoreCommand } from "./backup";
import { eventsCommand } from "./events";
import { gatewaysCommand } from "./gateways";
import { keysCommand } from "./keys";
import { serveCommand } from "./serve";

const program = new Command("tunnelplane").description("The tunnelplane API server").version(VERSION);
for (const command of [
  serveCommand(),
  applyCommand(),
  backupCommand(),
  restoreCommand(),
  keysCommand(),
  auditCommand(),
  eventsCommand(),
  gatewaysCommand(),
])
  program.addCommand(command);
program.parseAsync().catch((error: Error & { code?: string }) => {
  const cure = error.code === "EADDRINUSE" ? "; another server listens there: stop it, or choose another with --listen" : "";
  console.error(`tunnelplane: ${error.message}${cure}`);
  process.exit(1);
});
