import { type StandInTokenIssuer, secondsFromNow } from "./tokenIssuer";

export const CLIENT_ID = "tunnelplane";

/** The flags of a server at which the users of an issuer sign in. */
export const signInArgs = ({ url }: { readonly url: string }): string[] => [
  ...["--oidc-issuer", url, "--oidc-client-id", CLIENT_ID],
];

/** Has an issuer offer sign-ins; `answerTo` chooses its answer to a code. */
export function offerSignIns(issuer: StandInTokenIssuer, more: object = {}): void {
  issuer.instead.set(
    "/.well-known/openid-configuration",
    JSON.stringify({
      ...{ issuer: issuer.url, authorization_endpoint: `${issuer.url}/authorize` },
      ...{ token_endpoint: `${issuer.url}/token`, jwks_uri: `${issuer.url}/jwks` },
      response_types_supported: ["code"],
      ...{ id_token_signing_alg_values_supported: ["RS256", "ES256", "EdDSA"], ...more },
    }),
  );
}

/** Has the issuer answer the next codes with this identity token. */
export const answerWith = (issuer: StandInTokenIssuer, idToken: string): void => {
  issuer.instead.set(
    "/token",
    JSON.stringify({ access_token: "of-nobody's-business", token_type: "Bearer", id_token: idToken }),
  );
};

/** Claims of a user's identity token, for one sign-in. */
export const claimsOf = (subject: string, nonce: string, more: object = {}): object => ({
  ...{ sub: subject, aud: CLIENT_ID, iat: secondsFromNow(0), nonce, email: `${subject}@example.com` },
  ...more,
});

/** A sign-in that was begun, as the issuer sees it. */
export type Begun = { readonly address: URL; readonly state: string; readonly nonce: string };

/** Somebody with a browser: it keeps cookies, and shows where it is sent. */
export class Visitor {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly server: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async send(path: string, options: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(this.server + path, {
      redirect: "manual",
      ...options,
      headers: { ...this.headers, ...(cookie && { cookie }), ...(options.headers as Record<string, string>) },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = "", rest = ""] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
      if (/Max-Age=0/.test(rest)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }

  async begin(returnTo = "/console"): Promise<Begun> {
    const answer = await this.send(`/sign_in?return_to=${encodeURIComponent(returnTo)}`);
    expect(answer.status, await answer.clone().text()).to.equal(303);
    const address = new URL(answer.headers.get("location") ?? "");
    const [state, nonce] = ["state", "nonce"].map((name) => address.searchParams.get(name) ?? "");
    return { address, state: state ?? "", nonce: nonce ?? "" };
  }

  comeBack = (query: Readonly<Record<string, string>>): Promise<Response> =>
    this.send(`/sign_in/callback?${new URLSearchParams(query)}`);

  /** Signs in as a user. @param more claims besides */
  async signIn(issuer: StandInTokenIssuer, subject: string, more: object = {}): Promise<Response> {
    const { state, nonce } = await this.begin();
    answerWith(issuer, issuer.token(claimsOf(subject, nonce, more)));
    return this.comeBack({ code: "a-code", state });
  }

  async api(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const answer = await this.send(path, {
      method,
      headers: { "service-version": "2", ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      ...{ status: answer.status, headers: answer.headers, text },
      body: text ? JSON.parse(text) : undefined,
    };
  }

  session = async () => (await this.api("GET", "/session")).body;

  /** The header that changes need. */
  async csrf(): Promise<Record<string, string>> {
    return { "x-csrf-token": (await this.session()).csrf_token };
  }
}
