import { own, PROJECT_HEADER } from "@tunnelplane/sdk/contract";
import type { FastifyRequest } from "fastify";
import { type ApiKeys, type Caller, type Choice, isCsrfTokenOf } from "../auth";
import { RequestError } from "../util";
import type { RateLimits } from "./limits/rateLimits";
import type { RequestsInFlight } from "./limits/requestsInFlight";
import type { Cookies } from "./signin/cookies";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Finds the caller by the API key of a request, or by the session of its browser. */
export class Authentication {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly limits: RateLimits,
    private readonly inFlight: RequestsInFlight,
    private readonly cookies: Cookies,
  ) {}

  /**
   * @param isOfAccount whether the request is about no project
   * @param isAnew whether its key is looked up anew
   */
  async callerOf(request: FastifyRequest, isOfAccount = false, isAnew = false): Promise<Caller> {
    const { authorization } = request.headers;
    const session = authorization === undefined ? this.cookies.session(request) : undefined;
    if (session !== undefined)
      return this.#inSession(request, session, choiceIn(request, isOfAccount, isAnew));
    const key = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (!key) throw new RequestError("missing_key", 'The header Authorization must be "Bearer <API key>"');
    const choice = choiceIn(request, isOfAccount, isAnew);
    const caller = await this.apiKeys.callerOf(key, choice, () => this.inFlight.lookUp(request));
    if (caller) return caller;
    await this.limits.countUnknown(key, request);
    throw new RequestError(
      "unknown_key",
      "This API key is not known here: check that it is complete and belongs to this server",
    );
  }

  /** The caller in the session of a browser; undefined where it has none that lasts. */
  async sessionOf(request: FastifyRequest): Promise<Caller | undefined> {
    const session = this.cookies.session(request);
    if (session === undefined) return undefined;
    try {
      return await this.#lookUp(request, session, { named: undefined, isOfAccount: true });
    } catch (error) {
      if (error instanceof RequestError && error.status < 429) return undefined;
      throw error;
    }
  }

  async #inSession(request: FastifyRequest, session: string, choice: Choice): Promise<Caller> {
    const caller = await this.#lookUp(request, session, choice);
    const isSafe = request.method === "GET" || request.method === "HEAD";
    if (!isSafe && !isCsrfTokenOf(session, request.headers["x-csrf-token"]))
      throw new RequestError(
        "forbidden",
        "The header X-CSRF-Token is missing or wrong: in a session it must be the csrf_token that GET /session answers",
      );
    return caller;
  }

  async #lookUp(request: FastifyRequest, session: string, choice: Choice): Promise<Caller> {
    const asked = { ...choice, isCookie: true };
    const caller = await this.apiKeys.callerOf(session, asked, () => this.inFlight.lookUp(request));
    if (caller) return caller;
    await this.limits.countUnknown(session, request);
    throw new RequestError("unknown_key", "This session has ended: sign in again");
  }
}

/** The project that a request chooses. */
function choiceIn({ headers }: FastifyRequest, isOfAccount: boolean, isAnew: boolean): Choice {
  const named = own(headers, PROJECT_HEADER.toLowerCase());
  return { named: named === undefined ? undefined : String(named), isOfAccount, isAnew };
}
