import type { FastifyRequest } from "fastify";

/**
 * The cookies of a browser: its session, and a sign-in that it began. Over TLS their names begin with
 * `__Host-`, so that no other host, and nobody on the way, can set them (RFC 6265bis).
 */
export class Cookies {
  /** @param addressOf the address under which a client reached the server */
  constructor(private readonly addressOf: (request: FastifyRequest) => string) {}

  /** Whether cookies are kept from plain HTTP; it is spoken only on this machine. */
  #isSecure(request: FastifyRequest): boolean {
    return this.addressOf(request).startsWith("https:");
  }

  session = (request: FastifyRequest): string | undefined => this.#read(request, SESSION);

  attempt = (request: FastifyRequest): string | undefined => this.#read(request, ATTEMPT);

  /** @param lastsMs 0 to remove it */
  setSession = (request: FastifyRequest, value: string, lastsMs: number): string =>
    this.#set(request, SESSION, { value, lastsMs });

  setAttempt = (request: FastifyRequest, value: string, lastsMs: number): string =>
    this.#set(request, ATTEMPT, { value, lastsMs });

  #nameOf = (request: FastifyRequest, name: string): string =>
    `${this.#isSecure(request) ? "__Host-" : ""}${name}`;

  #read(request: FastifyRequest, name: string): string | undefined {
    const start = `${this.#nameOf(request, name)}=`;
    const pairs = request.headers.cookie?.split(/; */) ?? [];
    return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) || undefined;
  }

  #set(
    request: FastifyRequest,
    name: string,
    { value, lastsMs }: { value: string; lastsMs: number },
  ): string {
    const secure = this.#isSecure(request) ? "; Secure" : "";
    return `${this.#nameOf(request, name)}=${value}; Path=/; Max-Age=${lastsMs / 1000}; HttpOnly; SameSite=Lax${secure}`;
  }
}

const SESSION = "tunnelplane-session";
/** Lax, because the identity provider sends the browser back from its own site. */
const ATTEMPT = "tunnelplane-sign-in";
