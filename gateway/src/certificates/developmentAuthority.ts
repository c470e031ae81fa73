import { createPrivateKey, randomBytes, webcrypto } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import type * as X509 from "@peculiar/x509";
import type { ServerCertificate } from "../envoy/model";
import { type Keep, writeWhole } from "../state/files";
import { certificateOf } from "./pair";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;
/** A new certificate is made this long before the old one ends. */
const RENEW_MS = 10 * DAY_MS;

/**
 * A local authority, for development and trials. In development, clients trust `dev-ca.pem` in the folder of
 * the state.
 */
export class DevelopmentAuthority {
  readonly #made = new Map<string, ServerCertificate>();

  private constructor(
    private readonly x509: typeof X509,
    private readonly authority: X509.X509Certificate,
    private readonly key: webcrypto.CryptoKey,
  ) {}

  /** The authority that a folder keeps; makes and keeps one if there is none. */
  static async open(folder: string, keep: Keep = writeWhole): Promise<DevelopmentAuthority> {
    const [file, keyFile] = [join(folder, "dev-ca.pem"), join(folder, "dev-ca.key")];
    let [pem, keyPem] = [file, keyFile].map((path) =>
      existsSync(path) ? readFileSync(path, "utf8") : undefined,
    );
    if (pem === undefined || keyPem === undefined) {
      [pem, keyPem] = await newAuthority("tunnelplane development authority");
      keep(keyFile, keyPem);
      keep(file, pem);
    }
    return DevelopmentAuthority.#of(pem, keyPem);
  }

  /** A new authority that is kept nowhere. @param name its subject's common name */
  static async make(name: string): Promise<DevelopmentAuthority> {
    return DevelopmentAuthority.#of(...(await newAuthority(name)));
  }

  static async #of(pem: string, keyPem: string): Promise<DevelopmentAuthority> {
    const x509 = loadX509();
    const der = createPrivateKey(keyPem).export({ format: "der", type: "pkcs8" });
    const key = await webcrypto.subtle.importKey("pkcs8", der, ALGORITHM, false, ["sign"]);
    return new DevelopmentAuthority(x509, new x509.X509Certificate(pem), key);
  }

  get pem(): string {
    return `${this.authority.toString("pem")}\n`;
  }

  /** A certificate for each host, made when it is first asked for. */
  async certificates(hosts: readonly string[]): Promise<ServerCertificate[]> {
    for (const host of hosts)
      if ((this.#made.get(host)?.notAfter ?? 0) < Date.now() + RENEW_MS)
        this.#made.set(host, await this.#make(host));
    return hosts.flatMap((host) => this.#made.get(host) ?? []);
  }

  async #make(host: string): Promise<ServerCertificate> {
    const x509 = this.x509;
    const keys = await newKeys();
    const made = await x509.X509CertificateGenerator.create({
      ...lasting(90),
      subject: "CN=tunnelplane development",
      issuer: this.authority.subject,
      publicKey: keys.publicKey,
      signingKey: this.key,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.SubjectAlternativeNameExtension([{ type: isIP(host) === 0 ? "dns" : "ip", value: host }]),
        new x509.BasicConstraintsExtension(false),
      ],
    });
    return certificateOf(`${made.toString("pem")}\n`, await pemOf(keys.privateKey), host);
  }
}

/** Loaded when it is needed: few gateways make certificates. `require` returns any. */
function loadX509(): typeof X509 {
  require("reflect-metadata");
  return require("@peculiar/x509") as typeof X509;
}

const newAuthority = (name: string): Promise<[pem: string, key: string]> =>
  selfSigned(name, 3650, (x509) => [
    new x509.BasicConstraintsExtension(true, 0, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
  ]);

/** A certificate for a new key, signed by that key. @param name its subject's common name */
export async function selfSigned(
  name: string,
  days: number,
  extensionsOf: (x509: typeof X509) => X509.Extension[],
): Promise<[pem: string, key: string]> {
  const x509 = loadX509();
  const keys = await newKeys();
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    ...lasting(days),
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: extensionsOf(x509),
  });
  return [made.toString("pem"), await pemOf(keys.privateKey)];
}

const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);

const pemOf = async (key: webcrypto.CryptoKey): Promise<string> => {
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key));
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" })
    .export({ format: "pem", type: "pkcs8" })
    .toString();
};

const lasting = (days: number) => ({
  serialNumber: `00${randomBytes(8).toString("hex")}`,
  notBefore: new Date(Date.now() - DAY_MS),
  notAfter: new Date(Date.now() + days * DAY_MS),
});
