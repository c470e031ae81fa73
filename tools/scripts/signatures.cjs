// Checksums and signatures of a release's files, with OpenSSL. `cosign verify-blob --key cosign.pub` takes the
// signatures: ECDSA over P-256 and SHA-256, in DER, as base64.
const { execFileSync } = require("node:child_process");
const { createHash, verify } = require("node:crypto");
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { basename, dirname, join } = require("node:path");

const openssl = (...args) => execFileSync("openssl", args, { stdio: ["ignore", "pipe", "pipe"] });

/** Makes a key for one check, in a file. Signatures of a release need the key of the person who releases. */
function makeKey(file) {
  openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file);
  return file;
}

/** Writes the public key beside files that are signed. Returns its path. */
function publish(key, folder) {
  const file = join(folder, "cosign.pub");
  openssl("pkey", "-in", key, "-pubout", "-out", file);
  return file;
}

/** Writes FILE.sig beside a file. Returns its path. */
function sign(file, key) {
  const signature = `${file}.sig`;
  writeFileSync(signature, `${openssl("dgst", "-sha256", "-sign", key, file).toString("base64")}\n`);
  return signature;
}

/** Writes the checksums of files, in the form of sha256sum. Returns the path of the list. */
function checksums(files, list) {
  const lines = files.map(
    (file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${basename(file)}`,
  );
  writeFileSync(list, `${lines.sort().join("\n")}\n`);
  return list;
}

/** Why a folder does not hold what was signed: its list of checksums, and the files that it names. */
function faultsIn(list) {
  const folder = dirname(list);
  const key = join(folder, "cosign.pub");
  const named = readFileSync(list, "utf8").trim().split("\n");
  const changed = named.flatMap((line) => {
    const [sum, name] = line.split("  ");
    const file = join(folder, name);
    if (!existsSync(file)) return [`${name} is missing`];
    return createHash("sha256").update(readFileSync(file)).digest("hex") === sum
      ? []
      : [`${name} was changed`];
  });
  return [...changed, ...(isSigned(list, key) ? [] : [`${basename(list)} is not signed with ${key}`])];
}

function isSigned(file, key) {
  try {
    const signature = Buffer.from(readFileSync(`${file}.sig`, "utf8"), "base64");
    return verify("sha256", readFileSync(file), readFileSync(key), signature);
  } catch {
    return false;
  }
}

module.exports = { checksums, faultsIn, makeKey, publish, sign };
