import { createReadStream } from "node:fs";
import { counted } from "@tunnelplane/sdk/contract";
import { readTraffic, type TrafficEntry } from "@tunnelplane/sdk/traffic";
import { unreadable } from "./input";

const EXPECTED = "expected the output of: tunnelplane-gateway traffic --since 24h";

/**
 * The recorded traffic in files, one after the other. Says on standard error how many lines of each are
 * damaged.
 * @throws Error for a file that cannot be read, or without a line that can be used
 */
export async function* trafficIn(files: readonly string[]): AsyncGenerator<TrafficEntry> {
  for (const file of files) yield* entriesIn(file);
}

async function* entriesIn(file: string): AsyncGenerator<TrafficEntry> {
  let [used, damaged, first] = [0, 0, ""];
  for await (const entry of readTraffic(bytesOf(file))) {
    if ("damaged" in entry) {
      if (damaged++ === 0) first = `line ${entry.damaged} ${entry.reason}`;
    } else used++;
    yield entry;
  }
  const lines = damaged === 0 ? "" : `${counted(damaged, "damaged line")}; ${first}`;
  if (used === 0) throw new Error(`${file} holds no recorded traffic${lines && ` (${lines})`}; ${EXPECTED}`);
  if (lines) console.error(`${file} has ${lines}`);
}

async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(file, error, EXPECTED);
  }
}
