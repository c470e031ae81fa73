import { X509Certificate } from "node:crypto";
import type { AcmeClient } from "./client";

/** The share of a certificate's life after which it is renewed where the authority suggests nothing. */
const RENEWED_AT = 2 / 3;

/** When a certificate is renewed: as the authority suggests (RFC 9773), or after two thirds of its life. */
export async function renewalTime(client: AcmeClient, pem: string): Promise<Date> {
  const certificate = new X509Certificate(pem);
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const usual = new Date(from + (to - from) * RENEWED_AT);
  const id = certificateId(certificate);
  const suggested = id === undefined ? undefined : await client.renewalTime(id).catch(() => undefined);
  return suggested ?? usual;
}

/** OID 2.5.29.35 in DER. */
const AUTHORITY_KEY = Buffer.from("0603551d23", "hex");

/**
 * The id of a certificate at its authority (RFC 9773 section 4.1): the key identifier of the authority and
 * the serial number. Undefined for a certificate that does not name its authority's key.
 */
export function certificateId({ raw, serialNumber }: X509Certificate): string | undefined {
  const at = raw.indexOf(AUTHORITY_KEY);
  // An octet string, a sequence in it, and its first field: [0], the key's identifier.
  const start = at + AUTHORITY_KEY.length + 4;
  if (at < 0 || raw[start] !== 0x80) return undefined;
  const key = raw.subarray(start + 2, start + 2 + (raw[start + 1] ?? 0));
  const serial = Buffer.from(serialNumber.length % 2 ? `0${serialNumber}` : serialNumber, "hex");
  const whole = (serial[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), serial]) : serial;
  return `${key.toString("base64url")}.${whole.toString("base64url")}`;
}
