import { nearUrl, saysWhetherItServes } from "@tunnelplane/sdk/health";
import { Command, Option } from "commander";
import { parseListen } from "../util";
import { withExamples } from "./examples";
import { NegativeAnswer, UsageError } from "./failures";
import { wholeNumber, withSettings } from "./settingOptions";
import { SERVE_SETTINGS } from "./settings";

/** What decides where the server is asked. Other flags of `serve` are taken, so that all may be repeated. */
const READ = ["listen", "tlsCert", "tlsKey"];

interface Flags {
  readonly listen: string;
  readonly tlsCert?: string;
  readonly wait: number;
}

export function healthCommand(): Command {
  const command = new Command("health").description(
    "Ask the server that these settings describe, on this machine, whether it serves; exit code 0 if it does, else 1",
  );
  withSettings(command, SERVE_SETTINGS);
  for (const option of command.options) if (!READ.includes(option.attributeName())) option.hideHelp();
  command
    .addOption(
      new Option("--wait <seconds>", "ask again until it serves, for this many seconds at most")
        .default(0)
        .argParser(wholeNumber(0, 3600)),
    )
    .addHelpText("after", "\nIt takes every flag and variable that serve takes.")
    .action(health);
  return withExamples(command, ["tunnelplane health", "in the health check of a container or a unit"]);
}

async function health({ listen, tlsCert, wait }: Flags): Promise<void> {
  const address = parseListen(listen);
  if (address.port === 0)
    throw new UsageError("port 0 takes a free port, which only the server knows: give --listen a port");
  if (!(await saysWhetherItServes(nearUrl(address, tlsCert !== undefined), wait * 1000)))
    throw new NegativeAnswer();
}
