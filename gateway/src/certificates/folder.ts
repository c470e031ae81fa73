import { createPrivateKey, X509Certificate } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, parse } from "node:path";
import { messageOf, present } from "@tunnelplane/sdk/contract";
import type { ServerCertificate } from "../envoy/model";

/** A folder is looked through with every change; beyond so many files it is somebody's home by mistake. */
const MOST_FILES = 50_000;

/** Reads the certificates of a folder: NAME.pem or NAME.crt beside NAME.key. One that cannot be used is complained about, and left out. */
export function readFolder(folder: string, complain: (message: string) => void): ServerCertificate[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch (error) {
    complain(`the certificates' folder ${folder} cannot be read (${messageOf(error)}): create it, or name another with --certs`);
    return [];
  }
  if (names.length > MOST_FILES) {
    complain(`the certificates' folder ${folder} holds more than ${MOST_FILES} files: keep nothing else in it`);
    return [];
  }
  return names
    .filter((name) => /\.(pem|crt)$/.test(name))
    .flatMap((name) => {
      try {
        return [readPair(join(folder, name), join(folder, `${parse(name).name}.key`))];
      } catch (error) {
        complain(messageOf(error));
        return [];
      }
    });
}

function readPair(file: string, keyFile: string): ServerCertificate {
  const chain = readFileSync(file, "utf8");
  let key: string;
  try {
    key = readFileSync(keyFile, "utf8");
  } catch {
    throw new Error(`${file} has no key beside it: put it into ${keyFile}`);
  }
  return certificateOf(chain, key, file);
}

/** @throws saying what is wrong with which file */
export function certificateOf(chain: string, key: string, file: string): ServerCertificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(chain);
  } catch {
    throw new Error(`${file} holds no certificate in PEM: it must begin with -----BEGIN CERTIFICATE-----`);
  }
  let fits: boolean;
  try {
    fits = certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    throw new Error(`the key beside ${file} is no private key in PEM without a passphrase`);
  }
  if (!fits) throw new Error(`the key beside ${file} belongs to another certificate`);
  const names = [...(certificate.subjectAltName ?? "").matchAll(/DNS:([^,\s"]+)/g)].map(([, name]) => present(name).toLowerCase());
  return { names, chain, key, notBefore: Date.parse(certificate.validFrom), notAfter: Date.parse(certificate.validTo) };
}
