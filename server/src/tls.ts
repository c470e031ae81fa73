import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { SecureContextOptions } from "node:tls";

/** Where certificate and private key are, both as PEM. */
export interface TlsFiles {
  /** The server's certificate, followed by those that lead to its authority. */
  readonly cert: string;
  readonly key: string;
}

/** Reads what TLS needs, from version 1.2 on. Throws an error that says which file cannot be used, and why; never what is in it. */
export function readTls(files: TlsFiles): SecureContextOptions {
  const cert = read("certificate", files.cert);
  const key = read("private key", files.key);
  const certificate = parse("certificate", files.cert, () => new X509Certificate(cert));
  const privateKey: KeyObject = parse("private key", files.key, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(
      `The private key in ${files.key} does not belong to the certificate in ${files.cert}; give the two that were made together`,
    );
  if (Date.parse(certificate.validTo) <= Date.now())
    throw new Error(`The certificate in ${files.cert} expired at ${certificate.validTo}; renew it`);
  return { cert, key, minVersion: "TLSv1.2" };
}

function read(what: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`Cannot read the TLS ${what}: ${(error as Error).message}`);
  }
}

function parse<T>(what: string, file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const encrypted = /passphrase|MISSING_PASSPHRASE/i.test(`${(error as Error).message}`);
    const expected = encrypted
      ? "is encrypted; store it without a passphrase, readable by the server's user only"
      : `holds no ${what} as PEM`;
    throw new Error(`The TLS ${what} cannot be used: ${file} ${expected}`);
  }
}
