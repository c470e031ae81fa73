import { own } from "@tunnelplane/sdk/contract";
import { Command } from "commander";
import type * as Dev from "./dev";
import type * as Health from "./health";
import type * as Render from "./render";
import type * as Run from "./run";
import type * as Traffic from "./traffic";
import type * as Try from "./try";

/** Each command, loaded when it is asked for: a gateway that runs needs none of the others. */
const COMMANDS: Readonly<Record<string, () => Command>> = {
  run: () => (require("./run") as typeof Run).runCommand(),
  health: () => (require("./health") as typeof Health).healthCommand(),
  render: () => (require("./render") as typeof Render).renderCommand(),
  traffic: () => (require("./traffic") as typeof Traffic).trafficCommand(),
  try: () => (require("./try") as typeof Try).tryCommand(),
};

/** Only the command of this name; all where there is none, for the help. */
export function commands(name = ""): Command[] {
  const named = own(COMMANDS, name);
  return named ? [named()] : Object.values(COMMANDS).map((command) => command());
}

/**
 * The command `gateway` of another program. Without the name of a command behind it, it is `gateway run`.
 * @param args the words behind `gateway`
 */
export function gatewayCommand(args: readonly string[] = ["--help"]): Command {
  const group = new Command("gateway").description(
    "Make Envoy do what edges, policies and credentials declare",
  );
  const [first = "run"] = args;
  const isRun = first.startsWith("-") && !args.some((arg) => arg === "-h" || arg === "--help");
  for (const command of commands(isRun ? "run" : first))
    group.addCommand(command, { isDefault: command.name() === "run" });
  return group;
}

export const devCommand: typeof Dev.devCommand = (...given) =>
  (require("./dev") as typeof Dev).devCommand(...given);
