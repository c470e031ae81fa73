import { existsSync, readFileSync } from "node:fs";
import { ask } from "./ask";
import type { Issuer, Objects } from "./envoy/model";
import { writeWhole } from "./files";

const AGAIN_MS = 30_000;

interface Options {
  /** Where it is kept what issuers said. */
  readonly file: string;
  /** The file with the authorities that issuers are checked against. */
  readonly trust: string;
  readonly complain: (message: string) => void;
}

/** Reads what issuers say about themselves, and remembers it: an issuer that is down for a while changes nothing. */
export class Discovery {
  readonly issuers: Map<string, Issuer>;
  #wanted: readonly string[] = [];
  #triedAt = new Map<string, number>();

  constructor(private readonly options: Options) {
    this.issuers = readIssuers(options.file);
  }

  /** Asks those issuers that are not known yet, each at most twice a minute. */
  async read({ https_edge }: Objects): Promise<void> {
    this.#wanted = [...new Set(https_edge.flatMap(({ routes }) => routes.flatMap(({ oidc }) => (oidc?.enabled ? [oidc.issuer] : []))))];
    const due = this.#due(Date.now());
    this.#triedAt = new Map([...this.#triedAt].filter(([issuer]) => this.#wanted.includes(issuer)));
    const known = this.issuers.size;
    await Promise.all(due.map((issuer) => this.#ask(issuer)));
    if (this.issuers.size > known) writeWhole(this.options.file, JSON.stringify([...this.issuers]));
  }

  /** Whether an issuer that is wanted and not known may be asked again. */
  isDue(now: number): boolean {
    return this.#due(now).length > 0;
  }

  #due(now: number): string[] {
    return this.#wanted.filter((issuer) => !this.issuers.has(issuer) && now - (this.#triedAt.get(issuer) ?? 0) > AGAIN_MS);
  }

  async #ask(issuer: string): Promise<void> {
    this.#triedAt.set(issuer, Date.now());
    try {
      const said = JSON.parse(await ask(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, this.options.trust)) as Record<
        string,
        unknown
      >;
      const [authorizationEndpoint, tokenEndpoint] = [said.authorization_endpoint, said.token_endpoint].map(String) as [string, string];
      if (said.issuer !== issuer) throw new Error(`it calls itself ${JSON.stringify(said.issuer)}`);
      for (const url of [authorizationEndpoint, tokenEndpoint])
        if (!url.startsWith("https://") || !URL.canParse(url)) throw new Error("its endpoints are no https URLs");
      this.issuers.set(issuer, { authorizationEndpoint, tokenEndpoint });
    } catch (error) {
      this.options.complain(
        `the issuer ${issuer} could not be asked about itself: ${(error as Error).message}. Is it reachable from here, and trusted (--trust)? It is asked again every 30 s`,
      );
    }
  }
}

function readIssuers(file: string): Map<string, Issuer> {
  try {
    return new Map(existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as [string, Issuer][]) : []);
  } catch {
    return new Map(); // Damaged: they are asked again.
  }
}
