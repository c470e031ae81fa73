import { defineResource } from "../core/definition";
import { description, metadata } from "../core/fields";
import { mark } from "../core/marks";
import { certificateAuthorityPem, readCertificateAuthority } from "../formats/certificateAuthority";
import { certificateFacts } from "../formats/x509";

/** spec "Certificate authority". */
export const certificateAuthority = defineResource({
  type: "CertificateAuthority",
  kind: "certificate_authority",
  title: "certificate authority",
  doc: "An X.509 certificate authority whose client certificates an edge accepts for mutual TLS. Only the certificate is uploaded, never its key.",
  path: "/certificate_authorities",
  listKey: "certificate_authorities",
  idPrefix: "ca",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    ca_pem: mark(certificateAuthorityPem(), { immutable: true, unsearched: true }).meta({
      description:
        "The certificate as PEM: exactly one certificate of an authority, with at most 64 extensions. Gateways cannot use one with an RSA-PSS key. Set at creation only.",
    }),
  },
  computed: certificateFacts,
  derive: (sent) => {
    const read = readCertificateAuthority(sent.ca_pem);
    return typeof read === "string" ? {} : { ...read };
  },
  sample: {
    description: "signs the certificates of our partners",
    ca_pem: `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUBihHzWS9gIR7xgV+YgtHVRmV2aQwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSRXhhbXBsZSBDbGllbnRzIENBMCAXDTI2MTEyMjA3MjA1MVoY
DzIxMjYxMDI5MDcyMDUxWjAdMRswGQYDVQQDDBJFeGFtcGxlIENsaWVudHMgQ0Ew
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT3lDNOfOOx+I9l3haZSP5gNJMybVLI
+JzsHz1eA+0kcojIkTVwZB0zCUm1t6V9CjwPChm0CC0dVkXSKQFJw8t1o2MwYTAd
BgNVHQ4EFgQUzCUUzBsw0oPU/XPpYOApVT3+Bs8wHwYDVR0jBBgwFoAUzCUUzBsw
0oPU/XPpYOApVT3+Bs8wDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYw
CgYIKoZIzj0EAwIDSAAwRQIgQFb8I+d6Di4x/e6yTE0WEfZUX7/Z5E1QGLvK4vcw
xrUCIQCMtpvMnTNB5FUSztkXRkDJ+HYQAlFrswrQUK8WQMS13A==
-----END CERTIFICATE-----
`,
  },
  example: `const clients = new tunnels.CertificateAuthority("clients", {
  description: "signs the certificates of our partners",
  caPem: readFileSync("clients-ca.pem", "utf8"),
});`,
});
