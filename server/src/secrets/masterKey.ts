import { hkdfSync, randomBytes } from "node:crypto";
import { linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf, present } from "@tunnelplane/sdk/contract";
import { makeFolder } from "@tunnelplane/sdk/node";
import { giveToOwnerOfFolder } from "../util";

const BYTES = 32;

/** The key that wraps the data keys. It is never in the database. */
export interface MasterKey {
  /** Identifies the key without revealing anything of it. */
  readonly id: string;
  readonly bytes: Buffer;
}

export interface MasterKeyOptions {
  /** The key itself, 32 bytes in base64 or hex. Wins over the file. */
  readonly text?: string;
  /** The file that holds it, in the same form. */
  readonly file: string;
}

/** The given master key, or the one in the file; undefined if there is neither. */
export function findMasterKey({ text, file }: MasterKeyOptions): MasterKey | undefined {
  if (text) return parse(text, "TUNNELPLANE_MASTER_KEY");
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0 && !isCredential(file)) {
    throw new Error(
      `Others may read the master key in ${file} (mode ${(stats.mode & 0o777).toString(8)}): run "chmod 600 ${file}", and rotate the key if somebody may have read it`,
    );
  }
  return parse(readFileSync(file, "utf8"), file);
}

/**
 * systemd's credentials are in a folder that only their service can enter; the mode of a file there shows the
 * mask of its access list, not who may read it.
 */
function isCredential(file: string): boolean {
  const folder = process.env.CREDENTIALS_DIRECTORY;
  return folder !== undefined && dirname(resolve(file)) === resolve(folder);
}

/**
 * Makes a new master key and writes its file, readable by the owner only. If another process is faster, its
 * key is used.
 */
export function createMasterKey(file: string): MasterKey {
  const draft = `${file}.${process.pid}`;
  makeFolder(dirname(file), "name a file in another with --master-key-file");
  writeFileSync(draft, `${randomBytes(BYTES).toString("base64")}\n`, { mode: 0o600, flush: true });
  giveToOwnerOfFolder(draft);
  try {
    linkSync(draft, file); // atomic, and never replaces an existing file
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
  return present(findMasterKey({ file }));
}

function parse(given: string, source: string): MasterKey {
  const text = given.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64");
  if (bytes.length !== BYTES || !/^[\w+/=-]+$/.test(text)) {
    throw new Error(
      `The master key from ${source} must be ${BYTES} bytes in base64 or hex; make one with: openssl rand -base64 ${BYTES}`,
    );
  }
  return {
    id: Buffer.from(hkdfSync("sha256", bytes, "", "tunnelplane master key id", 9)).toString("base64url"),
    bytes,
  };
}
