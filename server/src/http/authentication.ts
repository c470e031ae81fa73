import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../accounts";
import { ApiError } from "../apiError";
import type { Callers } from "../callers";
import type { RateLimits } from "./rateLimits";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Finds who makes a request, within the limits of its key and its address. */
export async function authenticate(callers: Callers, limits: RateLimits, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const key = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (!key) throw new ApiError("missing_key", 'The header Authorization must be "Bearer <API key>"');
  await limits.refuseGuesser(request);
  const caller = await callers.callerOf(key);
  if (!caller) {
    await limits.countFailure(request);
    throw new ApiError("unknown_key", "This API key is not known here: check that it is complete and belongs to this server");
  }
  await limits.admit(caller.keyId, request, reply);
  return caller;
}
