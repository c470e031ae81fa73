import { isIPv4, isIPv6, SocketAddress } from "node:net";
import { plainAddress } from "@tunnelplane/sdk/contract";
import { UNRECORDED } from "@tunnelplane/sdk/meaning";

/** Stands for what is left out of a path. */
const LEFT_OUT = "…";
const MAX_SEGMENT_LENGTH = 32;
const MAX_PATH_LENGTH = 512;

/** A path without its query. Segments that are long may be secrets, and are left out. */
export function pathOf(text: string): string {
  const [path = ""] = text.split(/[?#]/, 1);
  const kept: string[] = [];
  let length = 0;
  for (const segment of path.split("/")) {
    const short = segment.length > MAX_SEGMENT_LENGTH ? LEFT_OUT : segment;
    length += short.length + 1;
    if (length > MAX_PATH_LENGTH) return [...kept, LEFT_OUT].join("/");
    kept.push(short);
  }
  return kept.join("/");
}

/** A text of at most so many characters; a longer one is not recorded. */
export const atMost = (longest: number, text: string): string => (text.length > longest ? UNRECORDED : text);

const HOST = /^[A-Za-z0-9._:[\]-]{1,255}$/;

/** A name or an address; in another text could be a secret, as in `user:password@host`. */
export const hostOf = (text: string): string => (HOST.test(text) ? text.toLowerCase() : UNRECORDED);

/** Names in TLS have no port. Undefined for what is not a name. */
export const nameOf = (text: string): string | undefined =>
  HOST.test(text) && !text.includes(":") && text !== "-" ? text.toLowerCase() : undefined;

/** The forms in which addresses of callers are recorded. */
export const ADDRESSES = ["network", "whole"] as const;
export type Addresses = (typeof ADDRESSES)[number];

/** An address, or the /24 or /48 that it is in. */
export function callerOf(address: string, recorded: Addresses): string {
  const plain = plainAddress(address);
  if (recorded === "whole") return plain;
  if (isIPv4(plain)) return `${plain.slice(0, plain.lastIndexOf("."))}.0/24`;
  if (!isIPv6(plain)) return UNRECORDED;
  const [head = "", tail] = plain.split("%", 1)[0]?.split("::") ?? [];
  const groups = head.split(":").filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter(Boolean).length;
  const first = [...groups, ...Array<string>(missing).fill("0"), ...(tail?.split(":") ?? [])].slice(0, 3);
  return `${new SocketAddress({ address: `${first.join(":")}::`, family: "ipv6" }).address}/48`;
}
