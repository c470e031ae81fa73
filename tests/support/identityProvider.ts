import { generateKeyPairSync } from "node:crypto";
import { request as askPlain, createServer, type Server } from "node:http";
import { request as askTls, createServer as createTlsServer } from "node:https";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import type { Certificate } from "./api/fixtures";
import { atEndOfFile } from "./endOfFile";
import { freePort } from "./ports";

export const CLIENT = { id: "tunnelplane", secret: "the-secret-of-this-server-at-its-provider" };

/** How a provider differs from the one that everybody else has. */
interface Special {
  /** Its certificate, for https. */
  readonly own?: Certificate;
  readonly client?: object;
  /** Refuses clients that say in a form who they are, though it offers that. */
  readonly takesBasicAlone?: boolean;
  /** Settings of the library. */
  readonly settings?: object;
}

/** A real identity provider, on a port of this machine. Everybody may sign in, with any password. */
export class IdentityProvider {
  private constructor(
    readonly url: string,
    private readonly server: Server,
    readonly groups: Map<string, readonly unknown[]>,
    /** Requests of clients, and how they said who they are. */
    readonly came: string[],
    /** Changes answers, by their paths. */
    readonly changed: Map<string, (body: unknown) => unknown>,
    private readonly own: Certificate | undefined,
  ) {}

  static async start({ own, client, takesBasicAlone, settings }: Special = {}): Promise<IdentityProvider> {
    const { default: Provider } = (await import("oidc-provider")) as typeof import("oidc-provider");
    const url = `${own ? "https" : "http"}://127.0.0.1:${await freePort()}`;
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
          ...client,
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
      ...settings,
    });
    console.warn = warn;
    const came: string[] = [];
    const changed = new Map<string, (body: unknown) => unknown>();
    provider.use(async (context, next) => {
      const by = context.get("authorization") ? "client_secret_basic" : "client_secret_post";
      if (context.path === "/token" && takesBasicAlone && by === "client_secret_post")
        [context.status, context.body] = [401, { error: "invalid_client" }];
      else await next();
      const { path, status } = context;
      if (path === "/token") came.push(`${by} ${status}`);
      context.body = changed.get(path)?.(context.body) ?? context.body;
    });
    const listener = provider.callback();
    const server = own
      ? createTlsServer({ key: own.privateKey, cert: own.pem }, listener)
      : createServer(listener);
    await new Promise<void>((resolve) => server.listen(Number(new URL(url).port), "127.0.0.1", resolve));
    const one = new IdentityProvider(url, server, groups, came, changed, own);
    atEndOfFile(() => one.stop());
    return one;
  }

  /** Signs in by its forms. @returns the address to which the browser comes back */
  async throughForms(address: string, name: string): Promise<string> {
    const cookies = new Map<string, string>();
    let at = new URL(address);
    for (let hops = 0; at.origin === this.url && hops < 10; hops++) {
      const isForm = at.pathname.startsWith("/interaction/");
      const page = isForm ? (await this.#ask(at, cookies)).body : "";
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? "";
      const form = isForm ? new URLSearchParams({ prompt, login: name, password: "any" }) : undefined;
      const { location, body } = await this.#ask(at, cookies, form);
      if (!location) throw new Error(body);
      at = new URL(location, at);
    }
    return at.href;
  }

  #ask(
    url: URL,
    cookies: Map<string, string>,
    form?: URLSearchParams,
  ): Promise<{ location: string | undefined; body: string }> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const request = url.protocol === "https:" ? askTls : askPlain;
    const method = form ? "POST" : "GET";
    const headers = { cookie, ...(form && { "content-type": "application/x-www-form-urlencoded" }) };
    return new Promise((resolve, reject) => {
      const asked = request(url, { method, headers, ca: this.own?.pem, agent: false }, async (answer) => {
        for (const line of answer.headers["set-cookie"] ?? []) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          cookies.set(name, value);
        }
        resolve({ location: answer.headers.location, body: await text(answer) });
      });
      asked.on("error", reject).end(form?.toString());
    });
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
