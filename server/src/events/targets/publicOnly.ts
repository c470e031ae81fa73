import { type LookupAddress, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { isPublic } from "../../util";

const refusal = (host: string, address: string): Error =>
  new Error(
    `${host} has the address ${address}, which is not on the internet; an operator may allow such targets with --allow-private-targets`,
  );

/**
 * Connects to hosts on the internet only. What counts are the addresses that are connected to, so a name that
 * changes its address between a check and its use gains nothing.
 * @param resolve how names are resolved
 */
export function publicOnly(options: buildConnector.BuildOptions = {}, resolve: typeof lookup = lookup): buildConnector.connector {
  const lookupPublic: LookupFunction = (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, "");
      const hidden = addresses.find(({ address }) => !isPublic(address));
      if (hidden) callback(refusal(host, hidden.address), "");
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
    });
  };
  const connect = buildConnector({ ...options, lookup: lookupPublic } as buildConnector.BuildOptions);
  return (target, callback) => {
    // Node resolves no name, and so asks nobody, where the host is an address already.
    const host = target.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) && !isPublic(host)) callback(refusal(host, host), null);
    else connect(target, callback);
  };
}
