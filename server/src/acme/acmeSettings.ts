import type { AccountBinding } from "./client";
import type { DnsServer } from "./dnsUpdate";

/** How the server orders certificates. */
export interface AcmeSettings {
  /** The URL of the authority's directory. */
  readonly directory: string;
  readonly contact?: string | undefined;
  readonly binding?: AccountBinding | undefined;
  /** PEM of authorities that may vouch for the authority's own server, besides the usual ones. */
  readonly trust?: string | undefined;
  /** The program that answers `dns-01`. */
  readonly dnsCommand?: string | undefined;
  /** The name server that answers `dns-01`. */
  readonly dnsServer?: DnsServer | undefined;
}
