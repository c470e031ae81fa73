import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { PEM_BLOCK, pemWrittenAnew, present } from "@tunnelplane/sdk/contract";
import type { ServerCertificate } from "../envoy/model";

/**
 * A chain and its key as Envoy can use them, or with a fault, so that edges can say why they are not served.
 *
 * @param file how messages name the chain
 * @throws if no certificate can be read
 */
export const certificateOf = (sent: string, sentKey: string, file: string): ServerCertificate =>
  read(sent, sentKey, file).certificate;

/** The same with a warning if nothing leads from the certificate to an authority. */
export function certificateWithWarning(sent: string, sentKey: string, file: string): ServerCertificate {
  const { certificate, first } = read(sent, sentKey, file);
  const others = [...certificate.chain.matchAll(PEM_BLOCK)].slice(1);
  if (first.issuer === first.subject || others.some(([block]) => certificatesIn(block).length > 0))
    return certificate;
  const issuer = JSON.stringify(first.issuer.replaceAll("\n", ", "));
  const warning = `${file} lacks the intermediate certificate of ${issuer}, which signed it: clients that do not trust that one itself refuse the connection; put it behind the certificate, as its authority gave it`;
  return { ...certificate, warning };
}

/** @throws as above */
function read(sent: string, sentKey: string, file: string) {
  const [chain, key] = [pemWrittenAnew(sent), pemWrittenAnew(sentKey)];
  let first: X509Certificate;
  try {
    first = new X509Certificate(chain);
  } catch {
    throw new Error(`${file} holds no certificate in PEM: it must begin with -----BEGIN CERTIFICATE-----`);
  }
  const fault = faultIn(first, chain, key, file);
  const certificate: ServerCertificate = {
    // Of a chain in another order, too, whose edges have to say so.
    names: (fault === undefined ? [first] : certificatesIn(chain)).flatMap(namesOf),
    chain,
    key,
    notBefore: Date.parse(first.validFrom),
    notAfter: Date.parse(first.validTo),
    ...(fault !== undefined && { fault }),
  };
  return { certificate, first };
}

const namesOf = ({ subjectAltName = "" }: X509Certificate): string[] =>
  [...subjectAltName.matchAll(/DNS:([^,\s"]+)/g)].map(([, name]) => present(name).toLowerCase());

/** Those that can be read. */
const certificatesIn = (chain: string): X509Certificate[] =>
  [...chain.matchAll(PEM_BLOCK)].flatMap(([block]) => {
    try {
      return new X509Certificate(block);
    } catch {
      return [];
    }
  });

function faultIn(first: X509Certificate, chain: string, pem: string, file: string): string | undefined {
  if (/ENCRYPTED/.test(pem))
    return `the key beside ${file} is protected by a passphrase: put it there without one, as \`openssl pkey -in key.pem\` prints it`;
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return `the key beside ${file} is not a private key in PEM without a passphrase: put such a key there`;
  }
  if (first.checkPrivateKey(key)) return undefined;
  const own = certificatesIn(chain).findIndex((one) => one.checkPrivateKey(key));
  return own > 0
    ? `${file} is out of order: the key belongs to certificate ${own + 1} in it: put that one first, and behind each the one that signed it`
    : `the key beside ${file} belongs to another certificate: put the key of this one there`;
}
