import type * as tunnels from "@tunnelplane/pulumi";
import { certificate, serverCertificate } from "../support/api/fixtures";
import { makeSshKey } from "../support/provider";

/** The present state; the change that a rule is for; and a similar one that changes nothing for callers. */
export type Version = "base" | "changed" | "near";

/** Objects that scenarios share and do not change. */
export interface Shared {
  readonly clients: tunnels.CertificateAuthority;
  readonly partners: tunnels.CertificateAuthority;
  readonly office: tunnels.IpPolicy;
  readonly member: tunnels.BotUser;
  readonly audit: tunnels.EventDestination;
  readonly people: tunnels.SshCertificateAuthority;
}

export interface Scenario extends Shared {
  /** Begins the name of everything that the scenario declares. */
  readonly rule: string;
  /** The value of a version; the base's where it has none. */
  readonly pick: <T>(base: T, changed: T, near?: T) => T;
  readonly isBase: boolean;
  readonly isChanged: boolean;
  readonly isNear: boolean;
}

export const clientsPem = certificate({ name: "Clients" }).pem;
export const partnersPem = certificate({ name: "Partners" }).pem;
/** A server's certificate for years, and one for some days. */
export const lasting = serverCertificate("ends.example.com");
export const ending = serverCertificate("ends.example.com", { days: 10 });
export const keys = [makeSshKey(), makeSshKey()] as const;
const DAY_MS = 86_400_000;
export const inDays = (days: number): string =>
  new Date(Date.now() + days * DAY_MS).toISOString().replace(/\.\d+Z$/, "Z");
export const [inAMonth, inAYear] = [inDays(30), inDays(365)];
export const ROLE = { roleRef: "arn:aws:iam::123456789012:role/events" };
export const STREAM = "arn:aws:kinesis:eu-central-1:123456789012:stream/events";
export const CERTIFICATE = { publicKey: keys[0], validFor: "365d" };
