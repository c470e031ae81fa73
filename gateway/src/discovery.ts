import { messageOf } from "@tunnelplane/sdk/contract";
import type { Issuer, Objects } from "./envoy/model";

const LONGEST_MS = 5000;
const LARGEST = 1_048_576;
const AGAIN_MS = 30_000;

/** Reads what issuers say about themselves, and remembers it: an issuer that is down for a while changes nothing. */
export class Discovery {
  readonly #tried = new Map<string, number>();

  constructor(
    readonly issuers: Map<string, Issuer>,
    private readonly complain: (message: string) => void,
  ) {}

  /** Asks those issuers that are not known yet, each at most twice a minute. */
  async read({ https_edge }: Objects): Promise<void> {
    const wanted = new Set(https_edge.flatMap(({ routes }) => routes.flatMap(({ oidc }) => (oidc?.enabled ? [oidc.issuer] : []))));
    const due = [...wanted].filter((issuer) => !this.issuers.has(issuer) && Date.now() - (this.#tried.get(issuer) ?? 0) > AGAIN_MS);
    await Promise.all(due.map((issuer) => this.#ask(issuer)));
  }

  async #ask(issuer: string): Promise<void> {
    this.#tried.set(issuer, Date.now());
    try {
      const answer = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, {
        signal: AbortSignal.timeout(LONGEST_MS),
        redirect: "error",
      });
      const text = await answer.text();
      if (!answer.ok || text.length > LARGEST) throw new Error(`it answered ${answer.status} with ${text.length} characters`);
      const said = JSON.parse(text) as Record<string, unknown>;
      const authorizationEndpoint = String(said.authorization_endpoint);
      const tokenEndpoint = String(said.token_endpoint);
      if (said.issuer !== issuer) throw new Error(`it calls itself ${JSON.stringify(said.issuer)}`);
      for (const url of [authorizationEndpoint, tokenEndpoint])
        if (!url.startsWith("https://") || !URL.canParse(url)) throw new Error("its endpoints are no https URLs");
      this.issuers.set(issuer, { authorizationEndpoint, tokenEndpoint });
    } catch (error) {
      this.complain(`the issuer ${issuer} could not be asked about itself: ${messageOf(error)}`);
    }
  }
}
