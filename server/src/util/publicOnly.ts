import { type LookupAddress, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { isPublic } from "./addresses";

export const notPublic = (host: string, address: string): Error =>
  new Error(
    `${host} has the address ${address}, which is not on the internet; an operator may allow such targets with --allow-private-targets`,
  );

/**
 * Connects to hosts on the internet only. It checks the very addresses that it connects to, so changing a
 * name's address after the check gains nothing.
 * @param resolve resolves names
 */
export function publicOnly(
  options: buildConnector.BuildOptions = {},
  resolve: typeof lookup = lookup,
): buildConnector.connector {
  const lookupPublic: LookupFunction = (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, "");
      const hidden = addresses.find(({ address }) => !isPublic(address));
      if (hidden) callback(notPublic(host, hidden.address), "");
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
    });
  };
  const { buildConnector }: typeof import("undici") = require("undici"); // loaded by those who connect
  const connect = buildConnector({ ...options, lookup: lookupPublic } as buildConnector.BuildOptions);
  return (target, callback) => {
    // For a host that is an address, Node does not call `lookup`, so check it here.
    const host = target.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) && !isPublic(host)) callback(notPublic(host, host), null);
    else connect(target, callback);
  };
}
