import { z } from "zod";
import { defineResource } from "../core/definition";
import { conditioned, description, metadata, text } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import { belongsElsewhere, mistakeInPrivateKey, readTlsCertificate } from "../formats/tlsCertificate";
import { certificateFacts } from "../formats/x509";

interface Pair {
  readonly certificate_pem?: string;
  readonly private_key_pem?: string;
}

const keyFits: Rule<Pair> = function* ({ certificate_pem: chain, private_key_pem: key }) {
  if (chain !== undefined && key !== undefined && belongsElsewhere(key, chain))
    yield {
      path: ["private_key_pem"],
      message:
        "belongs to another certificate; send the key with which the first certificate of `certificate_pem` was requested",
    };
};

const name = (of: string) =>
  z.string().meta({ description: `${of} of the certificate's subject; empty if it has none.` });

/** names "TLS certificate". */
export const tlsCertificate = defineResource({
  type: "TlsCertificate",
  kind: "tls_certificate",
  title: "TLS certificate",
  doc: "A certificate with its private key, which gateways serve for the reserved domains that name it. Its key is stored sealed, and no answer shows it; gateways alone get it.",
  path: "/tls_certificates",
  listKey: "tls_certificates",
  idPrefix: "cert",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    certificate_pem: mark(
      conditioned(text(64 * 1024), (pem) => {
        const read = readTlsCertificate(pem);
        return typeof read === "string" ? read : undefined;
      }),
      { immutable: true, unsearched: true },
    ).meta({
      description:
        "The chain as PEM: the certificate of the server first, and behind each certificate the one that signed it; at most 10. Set at creation only.",
    }),
    private_key_pem: mark(conditioned(text(16 * 1024), mistakeInPrivateKey), {
      immutable: true,
      secret: true,
      writeOnly: true,
    }).meta({
      description:
        "The private key of the first certificate, as PEM without a passphrase: ECDSA (P-256, P-384, P-521) or RSA (2048 to 4096 bits). Answers show null. Set at creation only.",
    }),
  },
  computed: {
    ...certificateFacts,
    subject_alternative_names: z
      .object({
        dns_names: z
          .array(z.string())
          .meta({ description: "Domain names; `*.` in front stands for one label." }),
        ips: z.array(z.string()).meta({ description: "IP addresses." }),
      })
      .meta({ description: "The names and the IP addresses that the certificate is good for." }),
    issued_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When it was issued for its domain (RFC 3339); null for one that was uploaded." }),
    private_key_type: z.enum(["rsa", "ecdsa"]).meta({ description: "The type of the private key." }),
    issuer_common_name: z.string().meta({ description: "Common name of the authority that issued it." }),
    serial_number: z.string().meta({ description: "The serial number, in lower-case hexadecimal." }),
    subject_organization: name("Organization"),
    subject_organizational_unit: name("Organizational unit"),
    subject_locality: name("Locality"),
    subject_province: name("State or province"),
    subject_country: name("Country"),
  },
  derive: (sent) => {
    const read = readTlsCertificate(sent.certificate_pem);
    return typeof read === "string" ? {} : { ...read, issued_at: null };
  },
  rules: [keyFits],
  sample: {
    description: "of our app",
    certificate_pem: `-----BEGIN CERTIFICATE-----
MIIBzTCCAXOgAwIBAgITYw6KuWZCiFZKDU0SocZ57n9fhzAKBggqhkjOPQQDAjAa
MRgwFgYDVQQDDA9hcHAuZXhhbXBsZS5jb20wIBcNMjYxMTI2MTg1OTIzWhgPMjEy
NjExMDIxODU5MjNaMBoxGDAWBgNVBAMMD2FwcC5leGFtcGxlLmNvbTBZMBMGByqG
SM49AgEGCCqGSM49AwEHA0IABHUp+HQYOEdfI+BriHxcnGW1eh6tT/ZGWxMbA1zK
Wqc7e5iFOz9T8NrYUR8WEHyIkylEAJfYtvgk5UeN+Otv596jgZUwgZIwHQYDVR0O
BBYEFN4a0rWeAnf+ZANJ3ZslEacfUSh7MB8GA1UdIwQYMBaAFN4a0rWeAnf+ZANJ
3ZslEacfUSh7MA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIPYXBwLmV4YW1w
bGUuY29tMBMGA1UdJQQMMAoGCCsGAQUFBwMBMA4GA1UdDwEB/wQEAwIHgDAKBggq
hkjOPQQDAgNIADBFAiAq4AXbcnwomE8IOPxq9C7WGYII21gpMqYn+8EGZuVJPwIh
AKpLvZJ5r9FhEMhda1LJ3RjCzIVDWUWSv3xLCKgEEkie
-----END CERTIFICATE-----
`,
    // Made for this example, and for nothing else.
    private_key_pem: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgt0Q4TU7mOZIZX/+q
eXYy88oK1Yn3r6j3SzbQQ5SKyXqhRANCAAR1Kfh0GDhHXyPga4h8XJxltXoerU/2
RlsTGwNcylqnO3uYhTs/U/Da2FEfFhB8iJMpRACX2Lb4JOVHjfjrb+fe
-----END PRIVATE KEY-----
`,
  },
  example: `const certificate = new tunnels.TlsCertificate("app", {
  certificatePem: readFileSync("app.example.com.pem", "utf8"),
  privateKeyPem: config.requireSecret("appKey"),
});`,
});
