import { chmodSync, existsSync, readFileSync } from "node:fs";
import { NotFoundError, type SshHostCertificate } from "@tunnelplane/sdk";
import { type Connection, type ParsedKey, utils } from "ssh2";
import { keptOr, writeWhole } from "../files";

const CERTIFIED = "ssh-ed25519-cert-v01@openssh.com";

interface Options {
  /** The file of the host's key; beside it, its public key and its certificate. */
  readonly file: string;
  /** Asks the server for the certificate; undefined where none is wanted. */
  readonly certificate: (() => Promise<SshHostCertificate>) | undefined;
  readonly complain: (message: string) => void;
}

/** What the gateway proves to agents that it is: a key of its own and, where wanted, a certificate that was issued for it. */
export class HostKeys {
  private constructor(
    private readonly key: ParsedKey,
    private readonly certificate: Buffer | undefined,
  ) {}

  /** Makes the key at the first start. @throws where the certificate cannot be had, or is for another key */
  static async open({ file, certificate, complain }: Options): Promise<HostKeys> {
    const made = keptOr(file, () => utils.generateKeyPairSync("ed25519").private);
    chmodSync(file, 0o600);
    const parsed = utils.parseKey(made);
    const key = Array.isArray(parsed) ? (parsed[0] as ParsedKey) : parsed;
    if (key instanceof Error || key.type !== "ssh-ed25519")
      throw new Error(`the host's key at ${file} is no Ed25519 key without a passphrase: remove it, and a new one is made`);
    const line = `ssh-ed25519 ${key.getPublicSSH().toString("base64")}`;
    writeWhole(`${file}.pub`, `${line} tunnelplane-gateway\n`);
    if (!certificate) return new HostKeys(key, undefined);
    const kept = `${file}-cert.json`;
    const found = await certificate()
      .then((one) => {
        writeWhole(kept, JSON.stringify(one));
        return one;
      })
      .catch((error: Error) => {
        if (error instanceof NotFoundError || !existsSync(kept))
          throw new Error(`the certificate of --ssh-host-certificate could not be read: ${error.message}`);
        complain(`the server was not asked for the host's certificate: ${error.message}. The one of the last start is used`);
        return JSON.parse(readFileSync(kept, "utf8")) as SshHostCertificate;
      });
    if (found.public_key.split(" ")[1] !== line.split(" ")[1])
      throw new Error(`${found.id} certifies another key than this gateway's: issue one for the key in ${file}.pub, and name that one`);
    if (Date.parse(found.valid_until) <= Date.now())
      throw new Error(`${found.id} ended at ${found.valid_until}: issue a new one for the key in ${file}.pub, and name that one`);
    return new HostKeys(key, Buffer.from(found.certificate.split(" ")[1] ?? "", "base64"));
  }

  /** For ssh2, which knows keys only: a certificate is one whose public form is the certificate. */
  get offered(): { key: ParsedKey }[] {
    const plain = { key: this.key };
    return this.certificate ? [{ key: this.#certified(() => undefined) }, plain] : [plain];
  }

  /**
   * The signature of a certified key bears the name of the plain type; ssh2 would write what was negotiated. The exchange is
   * private to ssh2, so where it is not found, the handshake fails, and nobody is let in by mistake.
   */
  prepare(connection: Connection): void {
    if (!this.certificate) return;
    const { _protocol: protocol } = connection as unknown as { readonly _protocol?: Internals };
    if (!protocol?._hostKeys) return void connection.end();
    const named = this.#certified(() => {
      if (!protocol._kex?.negotiated) return new Error("the key exchange is not where it was in ssh2 1.17");
      protocol._kex.negotiated.serverHostKey = "ssh-ed25519";
      return undefined;
    });
    protocol._hostKeys = { ...protocol._hostKeys, [CERTIFIED]: named };
  }

  #certified(before: () => Error | undefined): ParsedKey {
    const { key, certificate } = this;
    return Object.create(key, {
      type: { value: CERTIFIED },
      getPublicSSH: { value: () => certificate },
      sign: { value: (data: Buffer) => before() ?? key.sign(data) },
    }) as ParsedKey;
  }
}

interface Internals {
  _hostKeys?: Record<string, ParsedKey>;
  readonly _kex?: { readonly negotiated?: { serverHostKey: string } };
}
