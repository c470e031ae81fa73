import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A value of DER (X.690): its tag, and its contents. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const size = body.length;
  if (size < 0x80) return Buffer.concat([Buffer.from([tag, size]), body]);
  const bytes = size < 0x100 ? [size] : [size >> 8, size & 0xff]; // nothing here is longer than 64 KiB
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), body]);
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const NULL = der(0x05);
/** The first field that a structure numbers itself, with fields of its own. */
const FIRST = 0xa0;
/** A DNS name among the names of a certificate (RFC 5280 section 4.2.1.6). */
const DNS_NAME = 0x82;

const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const EXTENSION_REQUEST = identifier("2a864886f70d01090e");
const SUBJECT_ALTERNATIVE_NAME = identifier("551d11");
const ECDSA_WITH_SHA256 = der(SEQUENCE, identifier("2a8648ce3d040302"));
const SHA256_WITH_RSA = der(SEQUENCE, identifier("2a864886f70d01010b"), NULL);

/** A new key for a certificate, as PEM (PKCS#8): P-256, or RSA with 2048 bits. */
export function newCertificateKey(type: "ecdsa" | "rsa"): string {
  const { privateKey } =
    type === "ecdsa"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** A certification request for one name (PKCS#10, RFC 2986), as DER. */
export function signingRequest(name: string, keyPem: string): Buffer {
  const key = createPrivateKey(keyPem);
  const names = der(SEQUENCE, der(DNS_NAME, Buffer.from(name, "ascii")));
  const extension = der(SEQUENCE, SUBJECT_ALTERNATIVE_NAME, der(OCTET_STRING, names));
  const attribute = der(SEQUENCE, EXTENSION_REQUEST, der(SET, der(SEQUENCE, extension)));
  const info = der(
    SEQUENCE,
    der(INTEGER, Buffer.from([0])),
    der(SEQUENCE), // no subject: names are in the extension
    publicKeyOf(key),
    der(FIRST, attribute),
  );
  const algorithm = key.asymmetricKeyType === "rsa" ? SHA256_WITH_RSA : ECDSA_WITH_SHA256;
  return der(SEQUENCE, info, algorithm, der(BIT_STRING, Buffer.from([0]), sign("sha256", info, key)));
}

const publicKeyOf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: "spki", format: "der" });
