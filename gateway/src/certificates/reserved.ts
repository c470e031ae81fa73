import { messageOf } from "@tunnelplane/sdk/contract";
import { onceForEach, withId } from "../envoy/indexes";
import type { Objects, ServerCertificate } from "../envoy/model";
import { certificateWithWarning } from "./pair";

type Uploaded = Objects["tls_certificate"][number];

/** A certificate object as Envoy can use it; a text if not. Read once, because reading checks its key. */
const read = onceForEach(({ id, certificate_pem: chain, private_key_pem: key }: Uploaded) => {
  if (key === null)
    return `the key of TLS certificate ${id} is read only by gateways: use the API key of one`;
  const name = `TLS certificate ${id}`;
  try {
    return certificateWithWarning(chain, key, name);
  } catch (error) {
    return messageOf(error);
  }
});

/** The certificates that reserved domains name, each for its domain. */
export function reservedCertificates(
  { reserved_domain, tls_certificate }: Objects,
  warn: (message: string) => void,
): ServerCertificate[] {
  return reserved_domain.flatMap(({ domain, certificate }) => {
    const object = certificate && withId(tls_certificate, certificate.id);
    if (!object) return [];
    const found = read(object);
    const complaint = typeof found === "string" ? found : (found.fault ?? found.warning);
    if (complaint !== undefined) warn(complaint);
    return typeof found === "string"
      ? []
      : [{ ...found, names: [domain.toLowerCase()], isReserved: true as const }];
  });
}
