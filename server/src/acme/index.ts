/** Certificates that the server orders and renews by itself (RFC 8555). Other rooms import from here only. */

export { sealAccount } from "./account";
export type { AcmeSettings } from "./acmeSettings";
export { ACME_TIMES, Certificates } from "./certificates";
export type { DnsServer } from "./dnsUpdate";
