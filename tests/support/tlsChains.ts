import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EC, inTemporaryFolder, run } from "./api/fixtures";

export interface ChainOptions {
  /** As openssl takes it. Default: the name alone. */
  readonly subject?: string;
  /** Subject alternative names. Default: the name alone. */
  readonly names?: string;
}

/** PEMs of a leaf, an intermediate authority and a root, and the leaf's key. Made with openssl. */
export function signedChain(
  name: string,
  { subject = `/CN=${name}`, names = `DNS:${name}` }: ChainOptions = {},
): { chain: string[]; key: string } {
  return inTemporaryFolder((folder) => {
    const openssl = (...args: string[]) => run(folder, "openssl", ...args);
    const read = (file: string) => readFileSync(join(folder, file), "utf8");
    const newKey = (file: string) => ["-newkey", ...EC, "-nodes", "-keyout", file];
    const sign = (file: string, by: string, extensions: string) => {
      writeFileSync(join(folder, "extensions"), extensions);
      openssl(
        ...[
          ...["x509", "-req", "-in", `${file}.csr`, "-CA", `${by}.pem`, "-CAkey", `${by}.key`],
          "-CAcreateserial",
        ],
        ...["-days", "3650", "-extfile", "extensions", "-out", `${file}.pem`],
      );
    };
    const root = ["-days", "3650", "-subj", "/CN=Test Root", "-out", "root.pem"];
    openssl("req", "-x509", ...newKey("root.key"), ...root);
    openssl("req", ...newKey("middle.key"), "-subj", "/CN=Test Intermediate", "-out", "middle.csr");
    sign("middle", "root", "basicConstraints=critical,CA:TRUE");
    openssl("req", ...newKey("leaf.key"), "-subj", subject, "-out", "leaf.csr");
    sign(
      "leaf",
      "middle",
      `subjectAltName=${names}\nextendedKeyUsage=serverAuth\nkeyUsage=critical,digitalSignature`,
    );
    return { chain: ["leaf.pem", "middle.pem", "root.pem"].map(read), key: read("leaf.key") };
  });
}
