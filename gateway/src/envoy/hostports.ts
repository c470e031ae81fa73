import { createHash } from "node:crypto";
import { DEFAULT_PROJECT, type EdgeKind } from "@tunnelplane/sdk/contract";
import { isHostportOf, readHostport } from "@tunnelplane/sdk/rules";

export { isHostport, isWildcard, readHostport, wildcardsAbove } from "@tunnelplane/sdk/rules";

/** The hostports among the texts that an edge declares. */
export const hostportsIn = (kind: EdgeKind, texts: readonly string[]): Hostport[] =>
  texts.filter((one) => isHostportOf(kind, one)).map(readHostport);

/** A short name for a text: 64 bits, so two texts do not get the same name by chance. */
export const shortHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

export interface Hostport {
  /** In lower case; may begin with `*.`. */
  readonly host: string;
  readonly port: number;
}

export const MAX_SOCKET_LENGTH = 107; // sun_path of Linux holds 108 bytes, the last one zero

/** Where Envoy asks which agents' applications take connections, beside the sockets of agents. */
export const HEALTH_SOCKET = "health";

/** A bind: a hostport, or labels in the order of their keys, which each project has for itself. */
export const socketOfHostport = ({ host, port }: Hostport): string => `${shortHash(`${host}:${port}`)}.sock`;
export const socketOfLabels = (
  labels: Readonly<Record<string, string>>,
  project: string = DEFAULT_PROJECT.id,
): string => {
  const texts = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort();
  return `${shortHash([...(project === DEFAULT_PROJECT.id ? [] : [project]), ...texts].join("\n"))}.sock`;
};
