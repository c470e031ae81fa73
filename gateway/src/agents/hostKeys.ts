import { createPrivateKey, sign } from "node:crypto";
import { chmodSync } from "node:fs";
import { NotFoundError, type SshHostCertificate } from "@tunnelplane/sdk";
import { messageOf } from "@tunnelplane/sdk/contract";
import { type Connection, type ParsedKey, utils } from "ssh2";
import { keptOr, readKept, writeWhole } from "../state/files";
import { insideOf } from "./ssh2Inside";

const CERTIFIED = "ssh-ed25519-cert-v01@openssh.com";

/** The host certificates of a server. */
export interface HostCertificates {
  get(id: string): Promise<SshHostCertificate>;
  list(): AsyncIterable<SshHostCertificate>;
}

interface Options {
  /** The file of the host's key; beside it, its public key and its certificate. */
  readonly file: string;
  /** The certificate to present, and where to find it and its successors. Default: none. */
  readonly certificate: { readonly id: string; readonly among: HostCertificates } | undefined;
  readonly warn: (message: string) => void;
}

/** The certificate that was used last, and the one that the flag named. */
interface Kept {
  readonly named: string;
  readonly used: SshHostCertificate;
}

/** The key that proves to agents which gateway this is and, if a flag names one, its certificate. */
export class HostKeys {
  #certificate: Buffer | undefined;

  private constructor(
    private readonly key: ParsedKey,
    private readonly options: Options,
  ) {}

  /** Makes the key at the first start. @throws where the certificate cannot be had, or is for another key */
  static async open(options: Options): Promise<HostKeys> {
    const { file } = options;
    const made = keptOr(file, makeKey);
    chmodSync(file, 0o600);
    const parsed = utils.parseKey(made);
    const [key = new Error("no key")] = [parsed].flat();
    if (key instanceof Error || key.type !== "ssh-ed25519")
      throw new Error(
        `the host's key at ${file} is not an Ed25519 key without a passphrase: remove it, and a new one is made`,
      );
    const one = new HostKeys(signingFast(key), options);
    writeWhole(`${file}.pub`, `ssh-ed25519 ${one.#publicKey} tunnelplane-gateway\n`);
    if (options.certificate) one.#use(await one.#newest(options.certificate, true));
    return one;
  }

  /** Takes over a certificate that was issued since, for connections to come. */
  async refresh(): Promise<void> {
    const { certificate, warn } = this.options;
    if (!certificate) return;
    try {
      this.#use(await this.#newest(certificate, false));
    } catch (error) {
      warn(
        `the host's certificate was not read again: ${messageOf(error)}. The gateway goes on using the one before`,
      );
    }
  }

  get #publicKey(): string {
    return this.key.getPublicSSH().toString("base64");
  }

  /** The named certificate or its successor: the one of that authority, key and names that ends last. */
  async #newest(
    { id, among }: { readonly id: string; readonly among: HostCertificates },
    atStart: boolean,
  ): Promise<SshHostCertificate> {
    const last = readKept<Kept>(this.#keptFile);
    const kept = last?.named === id ? last.used : undefined;
    try {
      let newest = await among.get(id).catch((error: Error) => {
        if (error instanceof NotFoundError && kept) return kept; // It was replaced.
        throw error;
      });
      for await (const other of among.list()) if (follows(other, newest)) newest = other;
      return newest;
    } catch (error) {
      if (!atStart) throw error;
      if (error instanceof NotFoundError || !kept)
        throw new Error(`the certificate of --ssh-host-certificate could not be read: ${messageOf(error)}`);
      this.options.warn(
        `the server could not be asked for the host's certificate: ${messageOf(error)}. The gateway uses the one of the last start`,
      );
      return kept;
    }
  }

  #use(found: SshHostCertificate): void {
    const { file, certificate, warn } = this.options;
    if (keyOf(found) !== this.#publicKey)
      throw new Error(
        `${found.id} certifies another key than this gateway's: issue one for the key in ${file}.pub, and name that one`,
      );
    if (Date.parse(found.valid_until) <= Date.now())
      warn(
        `${found.id} ended at ${found.valid_until}, so agents that trust its authority do not connect: issue a new one for the key in ${file}.pub`,
      );
    this.#certificate = Buffer.from(found.certificate.split(" ")[1] ?? "", "base64");
    const kept: Kept = { named: certificate?.id ?? found.id, used: found };
    writeWhole(this.#keptFile, JSON.stringify(kept));
  }

  get #keptFile(): string {
    return `${this.options.file}-cert.json`;
  }

  /** For ssh2, which knows keys only: a certificate is one whose public form is the certificate. */
  get offered(): { key: ParsedKey }[] {
    const plain = { key: this.key };
    return this.#certificate
      ? [{ key: this.#certified(this.#certificate, () => undefined) }, plain]
      : [plain];
  }

  /**
   * ssh2 would sign with the name of the certificate type, not with the plain one. The key exchange is
   * private to ssh2; if it is not found, the handshake fails.
   */
  prepare(connection: Connection): void {
    if (!this.#certificate) return;
    const inside = insideOf(connection);
    if (!inside) return void connection.end();
    const named = this.#certified(this.#certificate, () => {
      if (!inside._kex?.negotiated) return new Error("the key exchange is not where it was in ssh2 1.17");
      inside._kex.negotiated.serverHostKey = "ssh-ed25519";
      return undefined;
    });
    inside._hostKeys = { ...inside._hostKeys, [CERTIFIED]: named };
  }

  // ssh2 takes any object with the methods of a key.
  #certified(certificate: Buffer, before: () => Error | undefined): ParsedKey {
    const { key } = this;
    // Object.create returns any; the prototype is a key.
    return Object.create(key, {
      type: { value: CERTIFIED },
      getPublicSSH: { value: () => certificate },
      sign: { value: (data: Buffer) => before() ?? key.sign(data) },
    }) as ParsedKey;
  }
}

/** Of 3,000 keys that ssh2 1.17 made, it could not read 9 again. */
function makeKey(): string {
  for (let tries = 0; tries < 10; tries++) {
    const made = utils.generateKeyPairSync("ed25519").private;
    if (!(utils.parseKey(made) instanceof Error)) return made;
  }
  throw new Error("ssh2 makes no key that it can read");
}

/** ssh2 reads the PEM for each signature, which takes five times as long. It takes any object like a key. */
function signingFast(key: ParsedKey): ParsedKey {
  const read = createPrivateKey(key.getPrivatePEM());
  // Object.create returns any; the prototype is a key.
  return Object.create(key, { sign: { value: (data: Buffer) => sign(null, data, read) } }) as ParsedKey;
}

const keyOf = ({ public_key }: SshHostCertificate): string => public_key.split(" ")[1] ?? "";

const follows = (other: SshHostCertificate, one: SshHostCertificate): boolean =>
  other.ssh_certificate_authority_id === one.ssh_certificate_authority_id &&
  keyOf(other) === keyOf(one) &&
  one.principals.every((name) => other.principals.includes(name)) &&
  Date.parse(other.valid_after) <= Date.now() &&
  Date.parse(other.valid_until) > Date.parse(one.valid_until);
