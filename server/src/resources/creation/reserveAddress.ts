import { randomInt } from "node:crypto";
import { type SentOf, TCP_PORT } from "@tunnelplane/sdk/contract";
import { RequestError } from "../../util";
import { namesAt } from "../ports";
import { Existing } from "../rules";
import type { Behaviour, Creation } from "./behaviour";

/** So many ports are tried at random; in a range that is nearly full, all are looked at. */
const MAX_TRIES = 20;

/**
 * Reserves an address: a port that no other reserved address has, and no edge. Which one is chosen by the
 * real request; a dry run says whether there is one.
 */
export const reserveAddress: Behaviour<SentOf<"reserved_addr">> = {
  async plan(creation) {
    await freePort(creation);
    return {};
  },
  make: async (creation) => ({
    computed: { addr: `${creation.names.tcpAddress}:${await freePort(creation)}` },
  }),
};

async function freePort({ reader, names }: Pick<Creation, "reader" | "names">): Promise<number> {
  const { first, last } = names.tcpPorts;
  const tried = Array.from({ length: MAX_TRIES }, () => randomInt(first, last + 1));
  const [count, start] = [last - first + 1, randomInt(first, last + 1)];
  const all = Array.from({ length: count }, (_, index) => first + ((start - first + index) % count));
  for (const ports of [tried, all]) {
    const keys = ports.flatMap((port) =>
      ["reserved_port", TCP_PORT].map((scope) => ({ scope, key: String(port) })),
    );
    const taken = new Set((await new Existing(reader).holdersOf(keys)).map(({ value }) => Number(value)));
    for (const port of ports) if (!taken.has(port) && (await namesAt(reader, port)).length === 0) return port;
  }
  throw new RequestError(
    "taken",
    `Each port from ${first} to ${last} is taken; delete a reserved address, or start the server with a larger range of --tcp-ports`,
  );
}
