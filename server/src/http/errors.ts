import type { FastifyRequest } from "fastify";
import { RequestError, refusalForNow } from "../util";

/**
 * Turns any error into an answer from the error table. Only a RequestError shows its message to the client.
 */
function requestErrorOf(error: unknown, { routeOptions }: FastifyRequest): RequestError {
  if (error instanceof RequestError) return error;
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string };
  if (code === "ERR_STORE_COMMIT_IN_DOUBT") {
    // No 503 and no Retry-After: clients would take them as a promise that nothing changed, and repeat the
    // request.
    return new RequestError(
      "internal",
      `${message}, so it is not known whether the change was made; read the object to find out`,
    );
  }
  if (code && STORAGE_ERRORS.test(code)) {
    return refusalForNow("unavailable", "Storage does not answer; nothing was changed. Try again shortly");
  }
  switch (code) {
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new RequestError(
        "not_json",
        'The body must be JSON, with the header "Content-Type: application/json"',
      );
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new RequestError(
        "body_too_large",
        `The body is larger than ${sizeOf(routeOptions.bodyLimit)}, the limit of this path; send less at once`,
      );
    case "FST_ERR_BAD_URL":
      return new RequestError("no_route", "The path cannot be decoded");
  }
  // Fastify found the request wrong before it reached a handler, for example a wrong Content-Length.
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return new RequestError("malformed_request", `${message}; correct the request`);
  return new RequestError(
    "internal",
    "The server failed to answer this; its log has the details under this operation id",
  );
}

/** The answer to an error of a request. The log gets the error too, unless it is a refusal. */
export function loggedErrorOf(error: unknown, request: FastifyRequest): RequestError {
  const refusal = requestErrorOf(error, request);
  if (refusal.status >= 500 && refusal !== error && !isHungUp(error))
    request.log.error({ operation_id: request.id, err: error }, "request failed");
  return refusal;
}

/** Whether work ended because nobody waited for it any more; then nobody reads its answer either. */
const isHungUp = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

const KIB = 1024;
const sizeOf = (bytes: number): string =>
  bytes < KIB * KIB ? `${bytes / KIB} KiB` : `${bytes / KIB / KIB} MiB`;

/** The answer for a path without a route. */
export const noRoute = (request: FastifyRequest): RequestError =>
  new RequestError(
    "no_route",
    `There is no ${request.url.split("?")[0]} here; /openapi.json lists every path, /docs explains them, and /console shows what the server holds`,
  );

const STORAGE_ERRORS = /^ERR_(SQLITE|STORE)/;
