import { isAddress, isDomain } from "../../../contract/formats/host";

/** Whether a text is a domain name, or `*.` and one, with a port, as hostports of edges are. */
export const isHostport = (text: string): boolean =>
  isAddress(text, { wildcard: true }) && isDomain(text.slice(0, text.lastIndexOf(":")), { wildcard: true });

/** Whether an edge of a kind can serve a text: TCP edges serve addresses as well, and no wildcards. */
export const isHostportOf = (kind: string, text: string): boolean =>
  kind === "tcp_edge" ? isAddress(text) : isHostport(text);

export function readHostport(text: string): { readonly host: string; readonly port: number } {
  const at = text.lastIndexOf(":");
  return { host: text.slice(0, at).toLowerCase(), port: Number(text.slice(at + 1)) };
}

export const isWildcard = (host: string): boolean => host.startsWith("*.");

/** The wildcards that cover a name at any depth, the closest first. */
export function wildcardsAbove(host: string): string[] {
  const labels = (isWildcard(host) ? host.slice(2) : host).split(".");
  return labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join(".")}`);
}

/** Why a text in `hostports` is not served. */
export const strangeHostport = (text: string): string =>
  `${JSON.stringify(text)} is not served, because it is not a NAME:PORT`;

/** Why a hostport is not served if an older edge has it, too. */
export const heldByOlder = (hostport: string, edge: string): string =>
  `${hostport} is not served, because the older edge ${edge} has it: take it out of one of them`;

/** Why a hostport is not served if an older edge has its port, and one of both is a TCP edge. */
export const portHeldByOlder = (hostport: string, edge: string): string =>
  `${hostport} is not served, because the older edge ${edge} has its port, and connections over TCP say no name: use another port`;
