import { createPrivateKey, X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
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
  const read = names
    .filter((name) => /\.(pem|crt)$/.test(name))
    .flatMap((name) => {
      const file = join(folder, name);
      try {
        return [{ file, ...readPair(file, join(folder, `${parse(name).name}.key`)) }];
      } catch (error) {
        complain(messageOf(error));
        return [];
      }
    });
  complainOfEnded(read, complain);
  complainOfRivals(read, complain);
  return read.map(({ file: _, ...one }) => one);
}

type Found = ServerCertificate & { readonly file: string };

function complainOfEnded(certificates: readonly Found[], complain: (message: string) => void): void {
  for (const { file, notAfter } of certificates)
    if (notAfter <= Date.now()) complain(`${file} ended at ${new Date(notAfter).toISOString()}: put a new one in its place`);
}

/** Two that are good for the same name: usual for a while when one is renewed, and a mistake otherwise. */
function complainOfRivals(certificates: readonly Found[], complain: (message: string) => void): void {
  const best = new Map<string, Found>();
  for (const one of certificates.filter(({ notAfter }) => notAfter > Date.now())) {
    for (const name of one.names) {
      const other = best.get(name);
      const [served, left] = other && other.notAfter >= one.notAfter ? [other, one] : [one, other];
      best.set(name, served);
      if (left) complain(`${served.file} and ${left.file} are both for ${name}: the first, which ends last, is served; remove the other`);
    }
  }
}

/** Changes when a file of the folder does. */
export function stampOf(folder: string | undefined): string {
  if (folder === undefined) return "";
  try {
    return readdirSync(folder)
      .slice(0, MOST_FILES)
      .map((name) => {
        const { mtimeMs, size, ino } = statSync(join(folder, name));
        return `${name} ${ino} ${mtimeMs} ${size}`;
      })
      .join("\n");
  } catch {
    return "";
  }
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
