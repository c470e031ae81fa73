import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Certificate } from "../support/api/fixtures";
import { StandInServer } from "../support/standIn";

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** An issuer that serves its keys over TLS and signs any token for tests. */
export class Issuer {
  private constructor(
    readonly server: StandInServer,
    private readonly rsa: KeyPair,
    private readonly ed25519: KeyPair,
  ) {}

  static async start({ pem, privateKey }: Certificate): Promise<Issuer> {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const ed25519 = generateKeyPairSync("ed25519");
    const keys = [
      { ...rsa.publicKey.export({ format: "jwk" }), kid: "one" },
      { ...ed25519.publicKey.export({ format: "jwk" }), kid: "two" },
    ];
    const server = await StandInServer.start((_, response) => response.end(JSON.stringify({ keys })), {
      key: privateKey,
      cert: pem,
    });
    return new Issuer(server, rsa, ed25519);
  }

  get jku(): string {
    return `${this.server.url}/jwks`;
  }

  claims = (more: object = {}) => ({
    iss: "https://id.example.com",
    aud: "api",
    exp: Math.floor(Date.now() / 1000) + 600,
    ...more,
  });

  /** Claims of a token that ended some seconds ago. */
  ended = (ago: number) => this.claims({ exp: Math.floor(Date.now() / 1000) - ago });

  token(claims: object = this.claims(), header: { readonly alg?: string } = {}): string {
    const isEdDsa = header.alg === "EdDSA";
    const text = `${encode({ alg: "RS256", kid: isEdDsa ? "two" : "one", ...header })}.${encode(claims)}`;
    if (isEdDsa)
      return `${text}.${sign(null, Buffer.from(text), this.ed25519.privateKey).toString("base64url")}`;
    const hash = header.alg === "RS512" ? "sha512" : "sha256";
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
    const by = (text: string) =>
      `${text}.${sign("sha256", Buffer.from(text), other.privateKey).toString("base64url")}`;
    return {
      "none as its algorithm": `${encode({ alg: "none" })}.${claims}.`,
      "None as its algorithm": `${encode({ alg: "None", kid: "one" })}.${claims}.`,
      "a public key taken for a shared secret": `${confused}.${createHmac("sha256", pem).update(confused).digest("base64url")}`,
      "another's signature": by(foreign),
      "a key that it brings along": by(embedded),
      "claims changed afterwards": `${head}.${encode(this.claims({ admin: true }))}.${signature}`,
      "no signature": `${head}.${claims}.`,
      "an end in the past": this.token(this.claims({ exp: 1 })),
      "an end longer ago than clocks may be apart": this.token(this.ended(120)),
      "no end": this.token(this.claims({ exp: undefined })),
      "an end that is none": this.token(this.claims({ exp: null })),
      "an end of 0": this.token(this.claims({ exp: 0 })),
      "a begin later than clocks may be apart": this.token(
        this.claims({ nbf: Math.floor(Date.now() / 1000) + 300 }),
      ),
      "another audience": this.token(this.claims({ aud: "other" })),
      "another issuer": this.token(this.claims({ iss: "https://evil.example.com" })),
      "another issuer, by a slash": this.token(this.claims({ iss: "https://id.example.com/" })),
      "another issuer, by capitals": this.token(this.claims({ iss: "https://ID.example.com" })),
      "another issuer, by its port": this.token(this.claims({ iss: "https://id.example.com:443" })),
      "a longer issuer": this.token(this.claims({ iss: "https://id.example.com.evil.example.org" })),
      "a list of issuers": this.token(this.claims({ iss: ["https://id.example.com"] })),
      "no issuer": this.token(this.claims({ iss: undefined })),
      "no audience": this.token(this.claims({ aud: undefined })),
      "another audience, as an address": this.token(this.claims({ aud: "https://api" })),
      "another audience, by a slash": this.token(this.claims({ aud: ["api/"] })),
      "another audience, by capitals": this.token(this.claims({ aud: "API" })),
      "another algorithm that is not allowed": this.token(this.claims(), { alg: "EdDSA" }),
      "an algorithm that is not allowed": this.token(this.claims(), { alg: "RS512" }),
      "nothing in it": "",
    };
  }

  stop(): void {
    this.server.stop();
  }
}
