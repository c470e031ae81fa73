import { Command } from "commander";
import { VERSION } from "../util";
import type * as Apply from "./apply";
import type * as Ask from "./ask";
import type * as Audit from "./audit";
import type * as Backup from "./backup";
import type * as Completion from "./completion";
import type * as Doctor from "./doctor";
import type * as Events from "./events";
import { EXIT_CODES } from "./failures";
import type * as Gateways from "./gateways";
import type * as Guarantees from "./guarantees";
import type * as Health from "./health";
import type * as Keys from "./keys";
import type * as Login from "./login";
import type * as Look from "./look";
import type * as Search from "./search";
import type * as Serve from "./serve";
import type * as Sessions from "./sessions";

const NEXT = ["tunnelplane apply tunnels.yaml --set prod    # declare tunnels: docs/catalogue.md"];

type Load = (next: readonly string[]) => Command;

/** Each command, loaded when it is asked for: a server needs none of the others. In the order of the help. */
const COMMANDS: Readonly<Record<string, Load>> = {
  serve: (next) => (require("./serve") as typeof Serve).serveCommand(next),
  health: () => (require("./health") as typeof Health).healthCommand(),
  list: () => (require("./look") as typeof Look).listCommand(),
  get: () => (require("./look") as typeof Look).getCommand(),
  search: () => (require("./search") as typeof Search).searchCommand(),
  describe: () => (require("./look") as typeof Look).describeCommand(),
  diff: () => (require("./look") as typeof Look).diffCommand(),
  apply: () => (require("./apply") as typeof Apply).applyCommand(),
  explain: () => (require("./look") as typeof Look).explainCommand(),
  ask: () => (require("./ask") as typeof Ask).askCommand(),
  doctor: () => (require("./doctor") as typeof Doctor).doctorCommand(),
  login: () => (require("./login") as typeof Login).loginCommand(),
  logout: () => (require("./login") as typeof Login).logoutCommand(),
  events: () => (require("./events") as typeof Events).eventsCommand(),
  gateways: () => (require("./gateways") as typeof Gateways).gatewaysCommand(),
  sessions: () => (require("./sessions") as typeof Sessions).sessionsCommand(),
  guarantees: () => (require("./guarantees") as typeof Guarantees).guaranteesCommand(),
  backup: () => (require("./backup") as typeof Backup).backupCommand(),
  restore: () => (require("./backup") as typeof Backup).restoreCommand(),
  keys: () => (require("./keys") as typeof Keys).keysCommand(),
  audit: () => (require("./audit") as typeof Audit).auditCommand(),
  completion: () => (require("./completion") as typeof Completion).completionCommand(),
};

/**
 * Every command, in the order of the help. Help, completion and the documentation are made from this.
 *
 * @param next what the first `serve` says to do next, a line each
 * @param only the first word of a command line: where it names a command that needs no other, there is only
 *   that one
 */
export function program(next: readonly string[] = NEXT, only = ""): Command {
  const all = new Command("tunnelplane")
    .description("The tunnelplane API server, and commands that show its objects")
    .version(VERSION)
    .addHelpText(
      "after",
      `\nExit codes:\n${Object.entries(EXIT_CODES)
        .map(([code, what]) => `  ${code}  ${what}`)
        .join("\n")}`,
    );
  const isOnly = only !== "completion" && Object.hasOwn(COMMANDS, only);
  for (const [name, load] of Object.entries(COMMANDS))
    if (!isOnly || name === only) all.addCommand(load(next));
  return all;
}
