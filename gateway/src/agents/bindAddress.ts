/** The bind address of the stock client: `-R ADDRESS:PORT:…`. */
export type Bind =
  | { readonly host: string; readonly port: number }
  | { readonly labels: Readonly<Record<string, string>> };

const MAX_LABELS = 32;
/** In characters. */
export const MAX_BIND_ADDRESS = 1024;

/**
 * Reads a bind address: a host, or `key=value` with commas between. Returns the mistake as a text if there is
 * one.
 */
export function readBindAddress(address: string, port: number): Bind | string {
  if (address.length > MAX_BIND_ADDRESS)
    return `a bind address may have at most ${MAX_BIND_ADDRESS} characters`;
  // With port 0, the client asks the server to choose a port; clients that ask for labels need no port.
  if (port < 1 || port > 65535)
    return "expected a port from 1 to 65535: -R HOST:PORT:..., or -R key=value:PORT:...";
  if (address.includes("=")) {
    const pairs = address.split(",").map((pair) => pair.split("="));
    const labels = new Map(pairs.map(([key = "", value = ""]) => [key, value]));
    if (pairs.length > MAX_LABELS || pairs.some((pair) => pair.length !== 2 || pair.includes("")))
      return "labels are written key=value, with commas between";
    if (labels.size < pairs.length) return "each label may stand once";
    return { labels: Object.fromEntries(labels) };
  }
  if (!/^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(address))
    return "expected -R HOST:PORT:..., or -R key=value:PORT:...";
  return { host: address.toLowerCase(), port };
}

/** A bind in the words of `POST /bind_authorizations`. */
export const rulesOf = (bind: Bind): string[] =>
  "labels" in bind
    ? Object.entries(bind.labels).map(([key, value]) => `bind:${key}=${value}`)
    : [`bind:${bind.host}:${bind.port}`];
