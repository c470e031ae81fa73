import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ErrorName } from "@tunnelplane/sdk/contract";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../apiError";
import { newId } from "../ids";

const REASONS: Record<string, readonly [ErrorName, string]> = {
  HPE_HEADER_OVERFLOW: ["headers_too_large", "The path and the headers may have 16 KiB together"],
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request was begun, but its end did not come in time; send it again"],
};

/** Refuses what Node cannot read as a request, so that no route ever sees it: in the same shape as every other refusal. */
export function refuseNoRequest(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (socket.writable && !hasBegunAnswer(socket)) {
    const [name, words] = REASONS[error.code ?? ""] ?? ["malformed_request", "What was sent cannot be read as an HTTP request"];
    const refusal = new ApiError(name, words);
    const id = newId("op");
    const body = JSON.stringify(refusal.body(id));
    this.log.info({ operation_id: id, status: refusal.status, client: socket.remoteAddress, reason: error.code }, "no request");
    const headers = [
      "content-type: application/json; charset=utf-8",
      `content-length: ${body.length}`,
      "connection: close",
      `x-request-id: ${id}`,
    ];
    socket.write(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${headers.join("\r\n")}\r\n\r\n${body}`);
  }
  socket.destroy();
}

/** Node keeps the answer that is on its way on a connection there; its own handler looks there too. */
const hasBegunAnswer = (socket: Socket): boolean => (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent ?? false;
