import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { ApiError } from "../apiError";
import { newId } from "../ids";

export interface ConnectionOptions {
  /** How long a request may take to arrive, in seconds. */
  readonly requestTimeout: number;
  /** How long a connection may wait for its next request, in seconds. */
  readonly keepAliveTimeout: number;
  /** What TLS needs; plain HTTP without it. */
  readonly tls?: SecureContextOptions;
}

// How often Node looks for connections that take too long; its own 30 s would let each take that much longer.
const CHECK_MS = 1000;
/** Longer than any request takes to be answered, so that only dead connections are silent that long. */
const SILENCE_MS = 120_000;

/** How connections are taken, and how long each may hold one up: a client that is slow on purpose costs a socket, for a while. */
export function connections({ requestTimeout, keepAliveTimeout, tls }: ConnectionOptions) {
  const requestTimeoutMs = requestTimeout * 1000;
  const http = { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: CHECK_MS };
  const times = { requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeout * 1000, connectionTimeout: SILENCE_MS };
  return tls ? { ...times, https: { ...http, ...tls, handshakeTimeout: requestTimeoutMs } } : { ...times, http };
}

/** Answers what never became a request, in the same form as every refusal, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const refusal = refusalOf(error.code);
  const operationId = newId("op");
  const body = JSON.stringify(refusal.body(operationId));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `x-request-id: ${operationId}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

function refusalOf(code: string | undefined): ApiError {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ApiError("request_timeout", "The request did not arrive in time; send it again without pauses");
    case "HPE_HEADER_OVERFLOW":
      return new ApiError("headers_too_large", "The request line and headers are larger than 16 KiB; send fewer or shorter ones");
    default:
      return new ApiError("malformed_request", "This is no HTTP request; check that client and proxy speak HTTP/1.1 to this address");
  }
}
