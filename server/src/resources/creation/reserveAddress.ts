import { randomInt } from "node:crypto";
import { type SentOf, TCP_PORT } from "@tunnelplane/sdk/contract";
import { RequestError } from "../../util";
import type { PortRange } from "../nameSettings";
import { namesAt } from "../ports";
import { Existing } from "../rules";
import type { Behaviour, Creation } from "./behaviour";

/** So many ports are tried at random; in a range that is nearly full, all are looked at. */
const MOST_TRIES = 20;

/** Reserves an address: a port that no other reserved address has, and no edge. */
export const reserveAddress: Behaviour<SentOf<"reserved_addr">> = async ({ names, reader }) => {
  const port = await freePort(reader, names.tcpPorts);
  if (port === undefined)
    throw new RequestError(
      "taken",
      `Each port from ${names.tcpPorts.first} to ${names.tcpPorts.last} is taken; delete a reserved address, or start the server with a larger range of --tcp-ports`,
    );
  return { computed: { addr: `${names.tcpAddress}:${port}` } };
};

async function freePort(reader: Creation["reader"], { first, last }: PortRange): Promise<number | undefined> {
  const tried = Array.from({ length: MOST_TRIES }, () => randomInt(first, last + 1));
  const [count, start] = [last - first + 1, randomInt(first, last + 1)];
  const all = Array.from({ length: count }, (_, index) => first + ((start - first + index) % count));
  for (const ports of [tried, all]) {
    const keys = ports.flatMap((port) =>
      ["reserved_port", TCP_PORT].map((scope) => ({ scope, key: String(port) })),
    );
    const taken = new Set((await new Existing(reader).holdersOf(keys)).map(({ value }) => Number(value)));
    for (const port of ports) if (!taken.has(port) && (await namesAt(reader, port)).length === 0) return port;
  }
  return undefined;
}
