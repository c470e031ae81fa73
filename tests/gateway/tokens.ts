import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import type { Certificate } from "../support/api/fixtures";
import { StandInTokenIssuer } from "../support/tokenIssuer";

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** An issuer that serves its keys over TLS, and signs tokens as routes of tests ask for them. */
export class Issuer {
  private constructor(private readonly server: StandInTokenIssuer) {}

  static start = async (own: Certificate): Promise<Issuer> => new Issuer(await StandInTokenIssuer.start(own));

  get jku(): string {
    return `${this.server.url}/jwks`;
  }

  claims = (more: object = {}) => ({
    iss: "https://id.example.com",
    aud: "api",
    exp: Math.floor(Date.now() / 1000) + 600,
    ...more,
  });

  ended = (ago: number) => this.claims({ exp: Math.floor(Date.now() / 1000) - ago });

  token = (
    claims: object = this.claims(),
    { alg, crit }: { readonly alg?: string; readonly crit?: readonly string[] } = {},
  ): string =>
    alg === "EdDSA"
      ? this.server.edToken({}, claims)
      : this.server.token(claims, { ...(alg && { alg }), ...(crit && { crit }) });

  forged(): Record<string, string> {
    const claims = encode(this.claims());
    const pem = this.server.publicKey.export({ format: "pem", type: "spki" }).toString();
    const confused = `${encode({ alg: "HS256", kid: "rsa" })}.${claims}`;
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const foreign = `${encode({ alg: "RS256", kid: "rsa" })}.${claims}`;
    const embedded = `${encode({ alg: "RS256", jwk: other.publicKey.export({ format: "jwk" }) })}.${claims}`;
    const [head, , signature] = this.token().split(".");
    const by = (text: string) =>
      `${text}.${sign("sha256", Buffer.from(text), other.privateKey).toString("base64url")}`;
    return {
      "none as its algorithm": `${encode({ alg: "none" })}.${claims}.`,
      "None as its algorithm": `${encode({ alg: "None", kid: "rsa" })}.${claims}.`,
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
}
