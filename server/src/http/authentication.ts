import { PROJECT_HEADER } from "@tunnelplane/sdk/contract";
import type { FastifyRequest } from "fastify";
import type { ApiKeys, Caller } from "../auth";
import { RequestError } from "../util";
import type { RateLimits } from "./limits/rateLimits";
import type { RequestsUnderWay } from "./limits/requestsUnderWay";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Finds the caller by the API key of a request. */
export class Authentication {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly limits: RateLimits,
    private readonly underWay: RequestsUnderWay,
  ) {}

  /** @param isOfAccount whether the request is about no project */
  async callerOf(request: FastifyRequest, isOfAccount = false): Promise<Caller> {
    const key = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    if (!key) throw new RequestError("missing_key", 'The header Authorization must be "Bearer <API key>"');
    const named = request.headers[PROJECT_HEADER.toLowerCase()];
    const choice = { named: named === undefined ? undefined : String(named), isOfAccount };
    const caller = await this.apiKeys.callerOf(key, choice, () => this.underWay.lookUp(request));
    if (caller) return caller;
    await this.limits.countUnknown(key, request);
    throw new RequestError(
      "unknown_key",
      "This API key is not known here: check that it is complete and belongs to this server",
    );
  }
}
