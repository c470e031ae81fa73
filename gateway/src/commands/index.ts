import { Command } from "commander";
import { devCommand } from "./dev";
import { renderCommand } from "./render";
import { runCommand } from "./run";
import { trafficCommand } from "./traffic";
import { tryCommand } from "./try";

/** `gateway` as a command among others; without a word, it runs. */
export function gatewayCommand(): Command {
  const group = new Command("gateway").description(
    "Make Envoy do what edges, policies and credentials declare",
  );
  group.addCommand(runCommand(), { isDefault: true });
  for (const command of [renderCommand(), trafficCommand(), tryCommand()]) group.addCommand(command);
  return group;
}

export { devCommand };
