import { randomBytes, sign } from "node:crypto";
import { promisify } from "node:util";
import { AuthorityKey, type KeyParameters } from "../../server/src/resources/ssh/authorityKey";
import { issueCertificate } from "../../server/src/resources/ssh/certificate";
import { string } from "../../server/src/resources/ssh/wire";
import { type Row, ratio, type Section } from "./report/section";
import type { Settings } from "./settings";

const AUTHORITIES: Readonly<Record<string, KeyParameters>> = {
  ed25519: { private_key_type: "ed25519" },
  "ECDSA P-256": { private_key_type: "ecdsa", elliptic_curve: "256" },
  "ECDSA P-384": { private_key_type: "ecdsa", elliptic_curve: "384" },
  "ECDSA P-521": { private_key_type: "ecdsa", elliptic_curve: "521" },
  "RSA 2048": { private_key_type: "rsa", key_size: 2048 },
  "RSA 4096": { private_key_type: "rsa", key_size: 4096 },
};

/** The hash of each signature, as on the server; ed25519 has its own. */
const HASHES: Readonly<Record<string, string>> = {
  "ECDSA P-256": "sha256",
  "ECDSA P-384": "sha384",
  "ECDSA P-521": "sha512",
};

const signOnThreadPool = promisify(sign) as (
  hash: string | null,
  data: Buffer,
  key: object,
) => Promise<Buffer>;

/** Measures what a certificate costs for each type of authority, compared with its signature alone. */
export async function measureSigning({ seconds }: Settings): Promise<Section[]> {
  const rows: Row[] = [];
  for (const [type, parameters] of Object.entries(AUTHORITIES)) {
    const authority = await AuthorityKey.generate(parameters);
    const pem = authority.toPem();
    const data = randomBytes(500); // about the size of a certificate without its signature
    const hash = type.startsWith("RSA") ? "sha512" : (HASHES[type] ?? null);
    const key = { key: pem, dsaEncoding: "ieee-p1363" };
    const floor = await perSecond(seconds, () => signOnThreadPool(hash, data, key));
    const certificates = await perSecond(seconds, (n) =>
      issueCertificate(statement(n), AuthorityKey.fromPem(pem)),
    );
    rows.push({ type, certificates, floor, ratio: ratio(certificates, floor) });
  }
  return [
    {
      part: "signing",
      title: "Signing SSH certificates",
      note: "Certificates a second, one after another, from the authority's stored key to the finished text, which is parsed again to check its signature; the floor is node:crypto's signature alone, from the same stored key.",
      columns: { type: "authority", certificates: "certificates/s", floor: "signatures/s", ratio: "×" },
      rows,
    },
  ];
}

const SUBJECT = Buffer.concat([string("ssh-ed25519"), string(randomBytes(32))]);

const statement = (n: number): Parameters<typeof issueCertificate>[0] => ({
  kind: "user",
  subject: SUBJECT,
  keyId: `sshcert_${n}`,
  principals: ["ada", "deploy"],
  validAfter: 1_700_000_000,
  validBefore: 1_700_086_400,
  criticalOptions: {},
  extensions: { "permit-pty": "", "permit-port-forwarding": "" },
});

async function perSecond(seconds: number, work: (n: number) => Promise<unknown>): Promise<number> {
  for (let n = 0; n < 5; n++) await work(n);
  const started = performance.now();
  let done = 0;
  while (performance.now() - started < seconds * 1000) await work(done++);
  return (done / (performance.now() - started)) * 1000;
}
