import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Certificate } from "../support/api/fixtures";
import { StandInServer } from "../support/standIn";

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** An issuer that serves its keys over TLS and signs any token for tests. */
export class Issuer {
  private constructor(
    readonly server: StandInServer,
    private readonly rsa: { privateKey: KeyObject; publicKey: KeyObject },
  ) {}

  static async start({ pem, privateKey }: Certificate): Promise<Issuer> {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const keys = [{ ...rsa.publicKey.export({ format: "jwk" }), kid: "one" }];
    const server = await StandInServer.start((_, response) => response.end(JSON.stringify({ keys })), { key: privateKey, cert: pem });
    return new Issuer(server, rsa);
  }

  get jku(): string {
    return `${this.server.url}/jwks`;
  }

  claims = (more: object = {}) => ({ iss: "https://id.example.com", aud: "api", exp: Math.floor(Date.now() / 1000) + 600, ...more });

  token(claims: object = this.claims(), header: object = {}): string {
    const text = `${encode({ alg: "RS256", kid: "one", ...header })}.${encode(claims)}`;
    const hash = (header as { alg?: string }).alg === "RS512" ? "sha512" : "sha256";
    return `${text}.${sign(hash, Buffer.from(text), this.rsa.privateKey).toString("base64url")}`;
  }

  /** Forged and invalid tokens. */
  forged(): Record<string, string> {
    const claims = encode(this.claims());
    const pem = this.rsa.publicKey.export({ format: "pem", type: "spki" }).toString();
    const confused = `${encode({ alg: "HS256", kid: "one" })}.${claims}`;
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const foreign = `${encode({ alg: "RS256", kid: "one" })}.${claims}`;
    const embedded = `${encode({ alg: "RS256", jwk: other.publicKey.export({ format: "jwk" }) })}.${claims}`;
    const [head, , signature] = this.token().split(".");
    const by = (text: string) => `${text}.${sign("sha256", Buffer.from(text), other.privateKey).toString("base64url")}`;
    return {
      "none as its algorithm": `${encode({ alg: "none" })}.${claims}.`,
      "None as its algorithm": `${encode({ alg: "None", kid: "one" })}.${claims}.`,
      "a public key taken for a shared secret": `${confused}.${createHmac("sha256", pem).update(confused).digest("base64url")}`,
      "another's signature": by(foreign),
      "a key that it brings along": by(embedded),
      "claims changed afterwards": `${head}.${encode(this.claims({ admin: true }))}.${signature}`,
      "no signature": `${head}.${claims}.`,
      "an end in the past": this.token(this.claims({ exp: 1 })),
      "another audience": this.token(this.claims({ aud: "other" })),
      "another issuer": this.token(this.claims({ iss: "https://evil.example.com" })),
      "an algorithm that is not allowed": this.token(this.claims(), { alg: "RS512" }),
      "nothing in it": "",
    };
  }

  stop(): void {
    this.server.stop();
  }
}
