/** Where something listens. */
export interface Address {
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, "");

/** @param text `HOST:PORT`, IPv6 in brackets */
export function readAddress(text: string): Address {
  const at = text.lastIndexOf(":");
  return { host: bare(text.slice(0, at)), port: Number(text.slice(at + 1)) };
}

export function addressOfUrl(url: string): Address {
  const { hostname, port, protocol } = new URL(url);
  return { host: bare(hostname), port: Number(port || (protocol === "https:" ? 443 : 80)) };
}

/** `HOST:PORT`, IPv6 in brackets. */
export const addressText = ({ host, port }: Address): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;
