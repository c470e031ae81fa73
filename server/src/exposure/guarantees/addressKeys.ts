import { readGuaranteedAddress } from "@tunnelplane/sdk/contract";
import { readHostport } from "@tunnelplane/sdk/rules";
import type { Document } from "../../documents";

/**
 * The keys under which a guarantee is found: its addresses without paths, `*` for any port; and for a name,
 * also the wildcard that may serve it, behind `<`.
 */
export function addressKeysOf({ addresses }: Document): string[] {
  const keys = (Array.isArray(addresses) ? addresses : []).flatMap((address: unknown) => {
    const read = readGuaranteedAddress(String(address));
    if (typeof read === "string") return [];
    const { host, port = "*" } = read;
    const above = host.includes("*") ? [] : [`<${host.replace(/^[^.]*/, "*")}:${port}`];
    return [`${host}:${port}`, ...above];
  });
  return [...new Set(keys)];
}

/** The keys of guarantees that a change at a hostport can touch. */
export function addressKeysAt(hostport: string): string[] {
  const { host, port } = readHostport(hostport.toLowerCase());
  const labels = host.split(".");
  // `*.a.example.com` is covered by itself, by `*.example.com` and so on; a name, by the wildcards above it.
  const above = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join(".")}`);
  const names = [host, ...above, "*", ...(host.startsWith("*") ? [`<${host}`] : [])];
  return names.flatMap((name) => [`${name}:${port}`, `${name}:*`]);
}
