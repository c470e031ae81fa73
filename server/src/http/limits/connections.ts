import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { MAX_ADDRESS_LENGTH } from "@tunnelplane/sdk/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { newId, RequestError } from "../../util";
import { DEFAULT_HEADERS } from "../defaultHeaders";

export interface ConnectionOptions {
  /** Time limit for a request to arrive, in seconds. */
  readonly requestTimeout: number;
  /** Time limit for an idle connection, in seconds. */
  readonly keepAliveTimeout: number;
  /** Certificate and key for TLS. Default: plain HTTP. */
  readonly tls?: SecureContextOptions;
}

// How often Node checks for slow connections. Its default of 30 s would add up to 30 s to every limit.
const CHECK_MS = 1000;
/** Longer than any request takes, so that only dead connections are silent for that long. */
const SILENCE_MS = 120_000;

/** The limits of connections: a client that is slow on purpose costs one socket for a limited time. */
export function connections({ requestTimeout, keepAliveTimeout, tls }: ConnectionOptions) {
  const requestTimeoutMs = requestTimeout * 1000;
  const http = {
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: CHECK_MS,
    requireHostHeader: false, // Node would refuse without a message; requireAddress explains
  };
  const common = {
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeout * 1000,
    connectionTimeout: SILENCE_MS,
    clientErrorHandler: refuseNoRequest,
  };
  return tls
    ? { ...common, https: { ...http, ...tls, handshakeTimeout: requestTimeoutMs } }
    : { ...common, http };
}

/**
 * Ignores expectations other than 100-continue, as RFC 9110 allows. Node would refuse them without a message.
 */
export function acceptExpectations({ server }: FastifyInstance): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/**
 * With two Host headers, a proxy might follow the first and this server the second (RFC 9112 section 3.2).
 */
export function refuseTwoHosts({ rawHeaders }: IncomingMessage): void {
  let hosts = 0;
  for (let name = 0; name < rawHeaders.length; name += 2)
    if (rawHeaders[name]?.toLowerCase() === "host") hosts++;
  if (hosts > 1)
    throw new RequestError("invalid_header", `The header Host is there ${hosts} times; send it once`);
}

const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i;

/**
 * Answers contain the address that the client used, so the request must name a valid one. A trusted proxy
 * names it in X-Forwarded headers. Its length is bounded, because every address in an answer begins with it.
 */
export function requireAddress({ host, protocol, headers }: FastifyRequest): void {
  if (host.length > MAX_ADDRESS_LENGTH || !HOST.test(host) || !URL.canParse(`http://${host}`)) {
    const name = host === headers.host || !host ? "Host" : "X-Forwarded-Host";
    throw new RequestError(
      "invalid_header",
      `The header ${name} ${host ? "must be" : "is missing: it is"} the server's name or address, with its port, of at most ${MAX_ADDRESS_LENGTH} characters`,
    );
  }
  if (protocol !== "http" && protocol !== "https")
    throw new RequestError("invalid_header", "The header X-Forwarded-Proto must be http or https");
}

/**
 * Refuses what Node cannot parse as a request. No route sees it, but the answer has the shape of every other
 * refusal.
 */
function refuseNoRequest(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || hasBegunAnswer(socket)) return void socket.destroy();
  const refusal = refusalOf(error.code);
  const operationId = newId("op");
  const body = JSON.stringify(refusal.body(operationId));
  this.log.info(
    { operation_id: operationId, status: refusal.status, client: socket.remoteAddress, reason: error.code },
    "no request",
  );
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `x-request-id: ${operationId}`,
    ...Object.entries(DEFAULT_HEADERS).map(([name, value]) => `${name}: ${value}`),
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** Node keeps a connection's current answer in this field; its own error handler reads it too. */
const hasBegunAnswer = (socket: Socket): boolean =>
  (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent ?? false;

function refusalOf(code: string | undefined): RequestError {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new RequestError(
        "request_timeout",
        "The request did not arrive in time; send it again without pauses",
      );
    case "HPE_HEADER_OVERFLOW":
      return new RequestError(
        "headers_too_large",
        "The path and the headers are larger than 16 KiB together; send fewer or shorter ones",
      );
    default:
      return new RequestError(
        "malformed_request",
        "This is not an HTTP request; check that client and proxy speak HTTP/1.1 to this address",
      );
  }
}
