import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { newId, RequestError } from "../../util";

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
  const http = {
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: CHECK_MS,
    requireHostHeader: false, // Node would refuse it without a word; requireHost says what is missing
  };
  const common = {
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeout * 1000,
    connectionTimeout: SILENCE_MS,
    clientErrorHandler: refuseNoRequest,
  };
  return tls ? { ...common, https: { ...http, ...tls, handshakeTimeout: requestTimeoutMs } } : { ...common, http };
}

/** Node would refuse expectations other than 100-continue without a word; whoever does not know one may pass over it. */
export function acceptExpectations({ server }: FastifyInstance): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/** A proxy that heeds one of two headers Host and a server that heeds the other do not serve the same client (RFC 9112 section 3.2). */
export function refuseTwoHosts({ rawHeaders }: IncomingMessage): void {
  let hosts = 0;
  for (let name = 0; name < rawHeaders.length; name += 2) if (rawHeaders[name]?.toLowerCase() === "host") hosts++;
  if (hosts > 1) throw new RequestError("invalid_header", `The header Host is there ${hosts} times; send it once`);
}

const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i;

/**
 * Answers name the address that the client used, so it has to say which that is, as an address may be written. Where a proxy is
 * trusted, it says so in headers of its own.
 */
export function requireAddress({ host, protocol, headers }: FastifyRequest): void {
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) {
    const name = host === headers.host || !host ? "Host" : "X-Forwarded-Host";
    throw new RequestError(
      "invalid_header",
      `The header ${name} ${host ? "must be" : "is missing: it is"} the server's name or address, with its port`,
    );
  }
  if (protocol !== "http" && protocol !== "https")
    throw new RequestError("invalid_header", "The header X-Forwarded-Proto must be http or https");
}

/** Refuses what Node cannot read as a request, so that no route ever sees it: in the same shape as every other refusal. */
function refuseNoRequest(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || hasBegunAnswer(socket)) return void socket.destroy();
  const refusal = refusalOf(error.code);
  const operationId = newId("op");
  const body = JSON.stringify(refusal.body(operationId));
  this.log.info({ operation_id: operationId, status: refusal.status, client: socket.remoteAddress, reason: error.code }, "no request");
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `x-request-id: ${operationId}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** Node keeps the answer that is on its way on a connection there; its own handler looks there too. */
const hasBegunAnswer = (socket: Socket): boolean => (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent ?? false;

function refusalOf(code: string | undefined): RequestError {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new RequestError("request_timeout", "The request did not arrive in time; send it again without pauses");
    case "HPE_HEADER_OVERFLOW":
      return new RequestError("headers_too_large", "The path and the headers are larger than 16 KiB together; send fewer or shorter ones");
    default:
      return new RequestError("malformed_request", "This is no HTTP request; check that client and proxy speak HTTP/1.1 to this address");
  }
}
