import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Command, Option } from "commander";
import { TrafficFiles, trafficFolder } from "../traffic/files";
import { hoursOption, stateOption } from "./options";

interface Flags {
  readonly state: string;
  /** In milliseconds. */
  readonly since: number;
}

export const trafficCommand = (): Command =>
  new Command("traffic")
    .description("Print the traffic that was recorded, as JSON, a line for all equal requests of an hour")
    .addOption(
      new Option("--since <time>", "how far back; hours that have begun before are printed whole")
        .argParser(hoursOption)
        .makeOptionMandatory(),
    )
    .addOption(stateOption())
    .action(printTraffic);

async function printTraffic({ state, since }: Flags): Promise<void> {
  const files = new TrafficFiles(trafficFolder(resolve(state)));
  if (!files.exists)
    throw new Error(
      `nothing was recorded in ${files.folder}: start the gateway with --record-traffic 7d, or say with --state where it keeps its files`,
    );
  await pipeline(Readable.from(linesOf(files, Date.now() - since)), process.stdout, { end: false });
}

async function* linesOf(files: TrafficFiles, time: number): AsyncGenerator<string> {
  let left = 0;
  for (const begin of files.hoursSince(time)) {
    const { hour, damaged } = await files.read(begin);
    left += damaged;
    yield* hour.lines();
  }
  if (left > 0) console.error(`tunnelplane-gateway: ${left} damaged lines are left out`);
}
