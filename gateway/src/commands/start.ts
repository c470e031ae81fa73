import { Command } from "commander";
import type * as Project from "../dev/project";
import { VERSION } from "../version";
import { commands, devCommand } from "./index";

const CLI = require.resolve("../cli");

/** Runs the command that the command line names. */
export function start(): void {
  const program = new Command("tunnelplane-gateway")
    .description("Makes Envoy do what edges, policies and credentials declare")
    .version(VERSION);
  const [first] = process.argv.slice(2);
  const named = commands(first);
  for (const command of named) program.addCommand(command);
  if (named.length > 1) program.addCommand(devCommand(installed));
  program.parseAsync().catch((error: Error) => {
    console.error(`tunnelplane-gateway: ${error.message}`);
    process.exit(1);
  });
}

/** The server that the project has installed, and this gateway. */
function installed(project: string) {
  const { serverProgram }: typeof Project = require("../dev/project");
  return { server: [serverProgram(project)], gateway: [CLI] };
}
