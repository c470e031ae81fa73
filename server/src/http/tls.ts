import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { SecureContextOptions } from "node:tls";
import { messageOf } from "@tunnelplane/sdk/contract";

/** The files of certificate and private key, both as PEM. */
export interface TlsFiles {
  /** The server's certificate, followed by its chain. */
  readonly cert: string;
  readonly key: string;
}

/**
 * Reads certificate and key for TLS 1.2 and later. An error names the unusable file and the reason, never the
 * file's content.
 */
export function readTls(files: TlsFiles): SecureContextOptions {
  const cert = read("certificate", files.cert);
  const key = read("private key", files.key);
  if (key.includes("ENCRYPTED"))
    throw new Error(
      `The TLS private key in ${files.key} is encrypted; store it without a passphrase, readable by the server's user only`,
    );
  const certificate = parse("certificate", files.cert, () => new X509Certificate(cert));
  const privateKey: KeyObject = parse("private key", files.key, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(
      `The private key in ${files.key} does not belong to the certificate in ${files.cert}; give the two that were made together`,
    );
  return { cert, key, minVersion: "TLSv1.2" };
}

function read(what: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`Cannot read the TLS ${what}: ${messageOf(error)}`);
  }
}

function parse<T>(what: string, file: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error(`The TLS ${what} cannot be used: ${file} holds no ${what} as PEM`);
  }
}
