import { generateKeyPairSync } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { atEndOfFile } from "./endOfFile";
import { freePort } from "./ports";

export const CLIENT = { id: "tunnelplane", secret: "the-secret-of-this-server-at-its-provider" };

/** A real identity provider, on a port of this machine. Everybody may sign in, with any password. */
export class IdentityProvider {
  private constructor(
    readonly url: string,
    private readonly server: Server,
    readonly groups: Map<string, readonly unknown[]>,
  ) {}

  static async start(): Promise<IdentityProvider> {
    const { default: Provider } = (await import("oidc-provider")) as typeof import("oidc-provider");
    const url = `http://127.0.0.1:${await freePort()}`;
    const groups = new Map<string, readonly unknown[]>();
    const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const { warn } = console;
    console.warn = () => undefined; // it is not for tests, it says
    const provider = new Provider(url, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          // The port of a native client's redirect URI may be any (RFC 8252 section 7.3).
          application_type: "native",
          redirect_uris: ["http://127.0.0.1/sign_in/callback"],
          response_types: ["code"],
          grant_types: ["authorization_code"],
        },
      ],
      claims: { openid: ["sub"], email: ["email"], profile: ["name", "groups"] },
      findAccount: async (_context, id) => ({
        accountId: id,
        claims: async () => ({ sub: id, name: id, email: `${id}@example.com`, groups: groups.get(id) ?? [] }),
      }),
      jwks: { keys: [{ ...key.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
      cookies: { keys: ["of the identity provider"] },
      pkce: { required: () => true },
      ttl: Object.fromEntries(
        ["AccessToken", "AuthorizationCode", "Grant", "IdToken", "Interaction", "Session"].map((name) => [
          name,
          600,
        ]),
      ),
    });
    console.warn = warn;
    const server = provider.listen(Number(new URL(url).port), "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    if ((server.address() as AddressInfo).port === 0) throw new Error("The identity provider has no port");
    atEndOfFile(() => {
      server.closeAllConnections();
      server.close();
    });
    return new IdentityProvider(url, server, groups);
  }

  async signIn(page: Page, name: string): Promise<void> {
    await page.locator("input[name=login]").fill(name);
    await page.locator("input[name=password]").fill("any");
    await page.locator("button[type=submit]").click();
    await page.getByRole("button", { name: "Continue" }).click();
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
