import { nearUrl, saysWhetherItServes } from "@tunnelplane/sdk/health";
import { Command, InvalidArgumentError, Option } from "commander";
import type { Address } from "../envoy/address";
import { withSettings } from "./run";

const MAX_WAIT_S = 3600;

interface Flags {
  readonly metrics: Address;
  readonly wait: number;
}

export function healthCommand(): Command {
  const command = withSettings(
    new Command("health").description(
      "Ask the gateway that these settings describe, on this machine, whether it serves; exit code 0 if it does, else 1",
    ),
  );
  // Other flags of `run` are taken, so that all may be repeated.
  for (const option of command.options) if (option.attributeName() !== "metrics") option.hideHelp();
  return command
    .addOption(
      new Option("--wait <seconds>", "ask again until it serves, for this many seconds at most")
        .default(0)
        .argParser(secondsOption),
    )
    .addHelpText("after", "\nIt takes every flag and variable that run takes.")
    .action(async ({ metrics, wait }: Flags) => {
      if (!(await saysWhetherItServes(nearUrl(metrics), wait * 1000))) process.exitCode = 1;
    });
}

function secondsOption(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= MAX_WAIT_S) return Number(text);
  throw new InvalidArgumentError(`Expected a whole number of seconds, at most ${MAX_WAIT_S}.`);
}
