#!/usr/bin/env node
import "@tunnelplane/sdk/node";
import { Command } from "commander";
import { VERSION } from ".";
import { auditCommand } from "./commands/audit";
import { backupCommand, restoreCommand } from "./commands/backup";
import { eventsCommand } from "./commands/events";
import { keysCommand } from "./commands/keys";
import { serveCommand } from "./commands/serve";

const program = new Command("tunnelplane").description("The tunnelplane API server").version(VERSION);
for (const command of [serveCommand(), backupCommand(), restoreCommand(), keysCommand(), auditCommand(), eventsCommand()])
  program.addCommand(command);
program.parseAsync().catch((error: Error & { code?: string }) => {
  const cure = error.code === "EADDRINUSE" ? "; another server listens there: stop it, or choose another with --listen" : "";
  console.error(`tunnelplane: ${error.message}${cure}`);
  process.exit(1);
});
