import { conditioned, text } from "../core/fields";
import { isAddress, isPort, MAX_ADDRESS_LENGTH } from "./host";
import { MAX_PATH_LENGTH, mistakeInPath } from "./http";

/** The parts of an address that a guarantee covers. */
export interface GuaranteedAddress {
  /** In lower case: a name, `*.name` for all names below it, or `*` for every name. */
  readonly host: string;
  /** Absent for every port. */
  readonly port?: number;
  /** A plain beginning of paths; `/` for every path. */
  readonly prefix: string;
}

const FORM = 'must be "<host>:<port>" with a path after it if you like, for example "*:443/admin"';

/** Reads `HOST:PORT[/PREFIX]`. @returns an error text if it is not one */
export function readGuaranteedAddress(address: string): GuaranteedAddress | string {
  const slash = address.indexOf("/");
  const [hostport, prefix] = slash < 0 ? [address, "/"] : [address.slice(0, slash), address.slice(slash)];
  const colon = hostport.lastIndexOf(":");
  if (colon < 0) return FORM;
  const [host, port] = [hostport.slice(0, colon).toLowerCase(), hostport.slice(colon + 1)];
  if (host !== "*" && !isAddress(`${host}:1`, { wildcard: true }))
    return 'must begin with a domain name, "*.<domain>" for all names below it, "*" for every name, or the IP address of a TCP edge';
  if (port !== "*" && !isPort(port)) return 'must have a port from 1 to 65535, or "*" for every port';
  const mistake = mistakeInPath(prefix);
  if (mistake) return `has a path that ${mistake}`;
  return { host, ...(port !== "*" && { port: Number(port) }), prefix };
}

/** Equal for addresses that differ in the case of their names only. */
export function guaranteedAddressKey(address: string): string {
  const slash = address.indexOf("/");
  return slash < 0
    ? `${address.toLowerCase()}/`
    : address.slice(0, slash).toLowerCase() + address.slice(slash);
}

/** An address that a guarantee covers: `HOST:PORT[/PREFIX]`. */
export const guaranteedAddress = () =>
  conditioned(text(MAX_ADDRESS_LENGTH + MAX_PATH_LENGTH), (value) => {
    const read = readGuaranteedAddress(value);
    return typeof read === "string" ? read : undefined;
  }).meta({ examples: ["*:443/admin", "app.example.com:443", "*.internal.example.com:*"] });
