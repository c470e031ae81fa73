import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ApiKeys } from "../auth";
import { RequestError } from "../util";
import type { Authentication } from "./authentication";
import { requireAddress } from "./limits/connections";
import type { RateLimits } from "./limits/rateLimits";
import type { RequestsInFlight } from "./limits/requestsInFlight";
import { originOf } from "./origin";

/** What a family of routes asks of a request, in this order, before its body is read. */
export interface Way {
  /** Which requests of an address are counted together. */
  readonly counts?: "exchanges" | "sign_ins";
  /** The part of the service from which restrictions keep callers out whom nobody knows. */
  readonly restricts?: "api" | "dashboard";
  /** It needs a caller with a key or a session. Answers whether a request is about no project. */
  readonly isOfAccount?: (request: FastifyRequest) => boolean;
  /** Refuses what this caller may not do. */
  readonly refuse?: (request: FastifyRequest, reply: FastifyReply) => void;
  /**
   * When a request takes a slot: at once if it has arrived completely, when its body has arrived, or never.
   * Default: at once.
   */
  readonly slot?: "with body" | "never";
  /** Looks at what remains of the headers. */
  readonly look?: (request: FastifyRequest) => void;
}

interface Services {
  readonly apiKeys: ApiKeys;
  readonly authentication: Authentication;
  readonly limits: RateLimits;
  readonly inFlight: RequestsInFlight;
}

/** The one gate through which requests come in. Families of routes differ in their {@link Way}. */
export class Gate {
  constructor(private readonly services: Services) {}

  /** Call this before routes are added. */
  guard(routes: FastifyInstance, way: Way): void {
    const { inFlight } = this.services;
    if (way.slot !== "never") inFlight.limitOn(routes);
    routes.addHook("onRequest", (request, reply) => this.#enter(request, reply, way));
  }

  async #enter(request: FastifyRequest, reply: FastifyReply, way: Way): Promise<void> {
    const { apiKeys, limits, inFlight } = this.services;
    requireAddress(request);
    if (way.counts === "exchanges") await limits.admitExchange(request);
    if (way.counts === "sign_ins") await limits.admitSignIn(request);
    if (way.restricts) await apiKeys.restrictions.refuse(way.restricts, originOf(request));
    if (way.isOfAccount) await this.#knowCaller(request, reply, way);
    way.refuse?.(request, reply);
    if (way.slot === undefined) await inFlight.admit(request);
    way.look?.(request);
  }

  async #knowCaller(request: FastifyRequest, reply: FastifyReply, { isOfAccount, slot }: Way): Promise<void> {
    const { apiKeys, authentication, limits, inFlight } = this.services;
    request.caller = await authentication
      .callerOf(request, isOfAccount?.(request))
      .catch(async (refusal: unknown) => {
        // A key that could not be looked up, because storage does not answer, is not an unknown key.
        if (refusal instanceof RequestError && slot === undefined) await inFlight.admit(request);
        throw refusal;
      });
    await limits.admit(request.caller.keyId, request, reply);
    await apiKeys.restrictions.refuseCaller(request.caller, originOf(request));
  }
}
