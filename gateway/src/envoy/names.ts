import { createHash } from "node:crypto";
import { isAddress, isDomain } from "@tunnelplane/sdk/contract";

/** A short name for a text: 64 bits, which nobody meets twice by chance. */
export const shortHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

export interface Hostport {
  /** In lower case; may begin with `*.`. */
  readonly host: string;
  readonly port: number;
}

/** Whether a text is a domain name, or `*.` and one, with a port, as hostports of edges are. */
export const isHostport = (text: string): boolean =>
  isAddress(text, { wildcard: true }) && isDomain(text.slice(0, text.lastIndexOf(":")), { wildcard: true });

export function readHostport(text: string): Hostport {
  const at = text.lastIndexOf(":");
  return { host: text.slice(0, at).toLowerCase(), port: Number(text.slice(at + 1)) };
}

export const isWildcard = (host: string): boolean => host.startsWith("*.");

/** The wildcards whose domain is what a name ends in; Envoy lets a wildcard cover any number of labels. */
export function wildcardsAbove(host: string): string[] {
  const labels = (isWildcard(host) ? host.slice(2) : host).split(".");
  return labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join(".")}`);
}

export const LONGEST_SOCKET = 107; // sun_path of Linux holds 108 bytes, the last one zero

/** A bind: a hostport, or labels in the order of their keys. */
export const socketOfHostport = ({ host, port }: Hostport): string => `${shortHash(`${host}:${port}`)}.sock`;
export const socketOfLabels = (labels: Readonly<Record<string, string>>): string =>
  `${shortHash(
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join("\n"),
  )}.sock`;
