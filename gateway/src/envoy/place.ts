/** Where an upstream is to be found. */
export interface Place {
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, "");

/** @param address `HOST:PORT`, IPv6 in brackets */
export function placeOfAddress(address: string): Place {
  const at = address.lastIndexOf(":");
  return { host: bare(address.slice(0, at)), port: Number(address.slice(at + 1)) };
}

export function placeOfUrl(url: string): Place {
  const { hostname, port, protocol } = new URL(url);
  return { host: bare(hostname), port: Number(port || (protocol === "https:" ? 443 : 80)) };
}
