import { execFileSync } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../folder";

export const run = (cwd: string, command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

export function inTemporaryFolder<T>(make: (folder: string) => T): T {
  const folder = newFolder();
  return make(folder);
}

export interface SshKey {
  readonly openssh: string;
  readonly rfc4716: string;
  /** PEM with the PKCS#8 SubjectPublicKeyInfo. */
  readonly spki: string;
  readonly privateKey: string;
}

export function sshKey(type: "rsa" | "ecdsa" | "ed25519" = "ed25519", bits?: number): SshKey {
  return inTemporaryFolder((folder) => {
    const size = bits === undefined ? [] : ["-b", String(bits)];
    run(folder, "ssh-keygen", "-q", "-t", type, ...size, "-N", "", "-C", "somebody@example.com", "-f", "key");
    const openssh = readFileSync(join(folder, "key.pub"), "utf8").trim();
    return {
      openssh,
      rfc4716: run(folder, "ssh-keygen", "-e", "-m", "RFC4716", "-f", "key.pub"),
      spki:
        type === "ed25519"
          ? ed25519Spki(openssh)
          : run(folder, "ssh-keygen", "-e", "-m", "PKCS8", "-f", "key.pub"),
      privateKey: readFileSync(join(folder, "key"), "utf8"),
    };
  });
}

/** `ssh-keygen` cannot write Ed25519 keys as PKCS#8, so take the raw key from the end of the line's blob. */
function ed25519Spki(openssh: string): string {
  const x = blobOf(openssh).subarray(-32).toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return key.export({ type: "spki", format: "pem" }).toString();
}

export const blobOf = (openssh: string): Buffer => Buffer.from(openssh.split(" ")[1] ?? "", "base64");

/** An OpenSSH line from the given length-prefixed parts, for keys that `ssh-keygen` no longer generates. */
export function sshLine(type: string, ...parts: Buffer[]): string {
  const blob = [Buffer.from(type), ...parts].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  return `${type} ${Buffer.concat(blob).toString("base64")} somebody@example.com`;
}

export const EC = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

export const KEY_ARGUMENTS = {
  rsa: ["rsa:2048"],
  "rsa-pss": ["rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048"],
  p384: ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"],
  p521: ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"],
  /** Too weak for Envoy. */
  weak: ["rsa:1024"],
  ec: EC,
  ed25519: ["ed25519"],
};

export interface CertificateOptions {
  readonly key?: keyof typeof KEY_ARGUMENTS;
  readonly name?: string;
  /** X.509 extensions in openssl's syntax. Default: a certificate authority's basicConstraints. */
  readonly extensions?: readonly string[];
  /** How long it is valid. Default: ten years. */
  readonly days?: number;
}

export type Certificate = { readonly pem: string; readonly privateKey: string };

export function certificate({
  key = "ec",
  name = "Test CA",
  extensions = [CA],
  days = 3650,
}: CertificateOptions = {}): Certificate {
  const config = [
    "[req]\nprompt = no\nutf8 = yes\nstring_mask = utf8only\ndistinguished_name = subject",
    ...(extensions.length > 0 ? ["x509_extensions = extensions"] : []),
    `[subject]\nCN = ${name}`,
    `[extensions]\n${extensions.join("\n")}`,
  ].join("\n");
  return inTemporaryFolder((folder) => {
    writeFileSync(join(folder, "config"), config);
    const newKey = ["-newkey", ...KEY_ARGUMENTS[key], "-nodes", "-keyout", "key.pem"];
    const pem = run(folder, "openssl", "req", "-x509", "-config", "config", "-days", String(days), ...newKey);
    return { pem, privateKey: readFileSync(join(folder, "key.pem"), "utf8") };
  });
}

/** As editors, mail, YAML and web pages leave a PEM behind. */
export const pemForms = (pem: string): Readonly<Record<string, string>> => ({
  "indented lines": pem.replace(/^/gm, "    "),
  "CR alone": pem.replaceAll("\n", "\r"),
  "CR and LF": pem.replaceAll("\n", "\r\n"),
  "non-breaking spaces": pem.replaceAll("\n", "\u00a0\n\u00a0"),
  "one line": pem.replace(
    /-----\n([^-]+)-----END/,
    (_, body: string) => `-----${body.replaceAll("\n", "")}-----END`,
  ),
});

export function serverCertificate(
  name = "app.example.com",
  options: Omit<CertificateOptions, "name" | "extensions"> = {},
): { certificate_pem: string; private_key_pem: string } {
  const extensions = [`subjectAltName = DNS:${name}`, "extendedKeyUsage = serverAuth"];
  const { pem, privateKey } = certificate({ ...options, name, extensions });
  return { certificate_pem: pem, private_key_pem: privateKey };
}

export const CA = "basicConstraints = critical, CA:TRUE";

const arn = (service: string, resource: string): string =>
  `arn:aws:${service}:eu-west-1:123456789012:${resource}`;

export const role = { role: { role_ref: "arn:aws:iam::123456789012:role/events" } };
export const creds = {
  creds: { cloud_access_key_id: "AKIAIOSFODNN7EXAMPLE", cloud_secret_access_key: "wJalrXUtnFEMI/K7MDENG" },
};

export const targets = (auth: object = role) => ({
  stream_service: { auth, stream_ref: arn("kinesis", "stream/events") },
  delivery_service: { auth, delivery_stream_ref: arn("firehose", "deliverystream/events") },
  log_service: { auth, log_group_ref: arn("logs", "log-group:events") },
  monitoring_service: {
    ...{ api_key: "of the monitoring", monitoring_tags: "env:test", service: "tunnels" },
    monitoring_site: "datadoghq.eu",
  },
  webhook: {
    url: "https://hooks.example.com/tunnels",
    secret: `whsec_${Buffer.alloc(32, "w").toString("base64")}`,
    headers: { "x-key": "of-the-webhook" },
  },
});

export const destination = (target: object = { monitoring_service: targets().monitoring_service }) => ({
  format: "json",
  target,
});
