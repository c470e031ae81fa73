import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { projectOf } from "../auth";
import { type IdempotentRequest, requestHashOf } from "../resources";
import { RequestError } from "../util";

const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

/** Reads the Idempotency-Key of a request, if it has one. */
export function idempotentRequestOf(request: FastifyRequest, body: unknown): IdempotentRequest | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !IDEMPOTENCY_KEY.test(key)) {
    throw new RequestError(
      "invalid_header",
      "Idempotency-Key must have 1 to 255 characters, ASCII without spaces; a UUID is fine",
    );
  }
  const after = request.headers["idempotency-key-after"];
  if (after !== undefined && (typeof after !== "string" || !IDEMPOTENCY_KEY.test(after)))
    throw new RequestError(
      "invalid_header",
      "Idempotency-Key-After must be the id of the object that the key created before",
    );
  const { ownerId, scopes } = request.caller;
  const project = projectOf(request.caller);
  const sent = Buffer.isBuffer(body) ? hash("sha256", body) : body;
  return {
    project,
    ownerId,
    key,
    requestHash: requestHashOf(request.method, request.url, sent, scopes),
    after,
  };
}

const ETAGS = /^(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)$/;

/**
 * Whether If-None-Match says that the client has this version (RFC 9110 section 13.1.2, by weak comparison).
 */
export function isKnown(request: FastifyRequest, etag: string | undefined): boolean {
  const known = request.headers["if-none-match"]?.trim();
  if (known === undefined || etag === undefined) return false;
  if (!ETAGS.test(known))
    throw new RequestError(
      "invalid_header",
      `If-None-Match must be "*" or ETags in their quotes, for example ${etag}`,
    );
  return known === "*" || known.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
}

/** If-Match by strong comparison (RFC 9110 section 13.1.1). */
export function requireMatch(request: FastifyRequest, etag: string | undefined): void {
  const wanted = request.headers["if-match"]?.trim();
  if (wanted === undefined) return;
  if (!ETAGS.test(wanted)) {
    throw new RequestError(
      "invalid_header",
      `If-Match must be "*" or ETags in their quotes, for example ${etag ?? '"1"'}; take the one that a GET answered`,
    );
  }
  if (etag === undefined)
    throw new RequestError(
      "precondition_failed",
      `If-Match names ${wanted}, but nothing is configured here; leave it out to configure it`,
    );
  if (wanted === "*" || wanted.split(",").some((candidate) => candidate.trim() === etag)) return;
  const reason = wanted.includes("W/")
    ? "weak ETags never match"
    : "somebody changed it; read it again and repeat the change";
  throw new RequestError(
    "precondition_failed",
    `If-Match names ${wanted}, but the current version is ${etag}: ${reason}`,
  );
}
