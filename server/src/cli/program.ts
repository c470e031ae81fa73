import { Command } from "commander";
import { VERSION } from "../util";
import { applyCommand } from "./apply";
import { askCommand } from "./ask";
import { auditCommand } from "./audit";
import { backupCommand, restoreCommand } from "./backup";
import { completionCommand } from "./completion";
import { doctorCommand } from "./doctor";
import { eventsCommand } from "./events";
import { EXIT_CODES } from "./failures";
import { gatewaysCommand } from "./gateways";
import { guaranteesCommand } from "./guarantees";
import { healthCommand } from "./health";
import { keysCommand } from "./keys";
import { loginCommand, logoutCommand } from "./login";
import { describeCommand, diffCommand, explainCommand, getCommand, listCommand } from "./look";
import { searchCommand } from "./search";
import { serveCommand } from "./serve";
import { sessionsCommand } from "./sessions";

const NEXT = ["tunnelplane apply tunnels.yaml --set prod    # declare tunnels: docs/catalogue.md"];

/**
 * Every command, in the order of the help. Help, completion and the documentation are made from this.
 *
 * @param next what the first `serve` says to do next, a line each
 */
export function program(next: readonly string[] = NEXT): Command {
  const all = new Command("tunnelplane")
    .description("The tunnelplane API server, and commands that show its objects")
    .version(VERSION)
    .addHelpText(
      "after",
      `\nExit codes:\n${Object.entries(EXIT_CODES)
        .map(([code, what]) => `  ${code}  ${what}`)
        .join("\n")}`,
    );
  for (const command of [
    serveCommand(next),
    healthCommand(),
    listCommand(),
    getCommand(),
    searchCommand(),
    describeCommand(),
    diffCommand(),
    applyCommand(),
    explainCommand(),
    askCommand(),
    doctorCommand(),
    loginCommand(),
    logoutCommand(),
    eventsCommand(),
    gatewaysCommand(),
    sessionsCommand(),
    guaranteesCommand(),
    backupCommand(),
    restoreCommand(),
    keysCommand(),
    auditCommand(),
    completionCommand(),
  ])
    all.addCommand(command);
  return all;
}
