import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-chain-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const newKey = (file: string) => [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    file,
  ];
  const sign = (file: string, by: string, extensions: string) => {
    writeFileSync(join(folder, "extensions"), extensions);
    openssl(
      ...["x509", "-req", "-in", `${file}.csr`, "-CA", `${by}.pem`, "-CAkey", `${by}.key`, "-CAcreateserial"],
      ...["-days", "3650", "-extfile", "extensions", "-out", `${file}.pem`],
    );
  };
  try {
    openssl(
      "req",
      "-x509",
      ...newKey("root.key"),
      "-days",
      "3650",
      "-subj",
      "/CN=Test Root",
      "-out",
      "root.pem",
    );
    openssl("req", ...newKey("middle.key"), "-subj", "/CN=Test Intermediate", "-out", "middle.csr");
    sign("middle", "root", "basicConstraints=critical,CA:TRUE");
    openssl("req", ...newKey("leaf.key"), "-subj", subject, "-out", "leaf.csr");
    sign(
      "leaf",
      "middle",
      `subjectAltName=${names}\nextendedKeyUsage=serverAuth\nkeyUsage=critical,digitalSignature`,
    );
    return { chain: ["leaf.pem", "middle.pem", "root.pem"].map(read), key: read("leaf.key") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
