import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiKeys } from "../../auth";
import type { ServerContext } from "../../resources";
import { RequestError } from "../../util";
import type { Authentication } from "../authentication";
import { loggedErrorOf } from "../errors";
import type { Gate } from "../gate";
import type { RateLimits } from "../limits/rateLimits";
import type { Cookies } from "./cookies";
import { errorPage, PAGE_HEADERS } from "./page";

/** The services that pages and scripts for people who sign in stand on. */
export interface ForPeople {
  readonly context: ServerContext;
  readonly apiKeys: ApiKeys;
  readonly authentication: Authentication;
  readonly cookies: Cookies;
  readonly limits: RateLimits;
  readonly gate: Gate;
  /** The address under which a client reached the server. */
  readonly addressOf: (request: FastifyRequest) => string;
}

/** Where people cannot sign in, because the operator has set up no identity provider. */
export const noSignIn = (): RequestError =>
  new RequestError(
    "no_route",
    "Signing in is not set up on this server (--oidc-issuer); open the console with an API key",
  );

type Refusal = Pick<RequestError, "status" | "message"> & Partial<Pick<RequestError, "options">>;

/**
 * Limits the requests of pages, and answers their errors with a page in plain words.
 * @param refusalOf the status and the words for an error
 */
export function preparePages(
  pages: FastifyInstance,
  { gate, addressOf }: ForPeople,
  refusalOf: (error: unknown, request: FastifyRequest) => Refusal | Promise<Refusal> = loggedErrorOf,
): void {
  gate.guard(pages, { counts: "sign_ins", restricts: "dashboard", slot: "with body" });
  pages.setErrorHandler(async (error, request, reply) => {
    const { status, message, options } = await refusalOf(error, request);
    return reply
      .code(status)
      .headers({ ...PAGE_HEADERS, ...options?.headers })
      .send(errorPage({ message, operationId: request.id, address: addressOf(request) }));
  });
}
