import { type FastifyBaseLogger, LogController } from "fastify";
import { callerAddress } from "./origin";

/** Logs one line for each answered request. Never logs headers, queries or bodies, which may hold secrets. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(...[error, request, reply]: Parameters<LogController["requestCompleted"]>): void {
    const facts = {
      operation_id: request.id,
      method: request.method,
      path: request.url.split("?")[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      key: request.caller?.keyId,
      client: callerAddress(request),
    };
    if (error) request.log.warn({ ...facts, err: error }, "connection lost");
    else request.log.info(facts, "request");
  }
}

/**
 * Uses one logger for all requests: a child logger takes as long to create as a line to write. Each line
 * names its request.
 */
export const oneLogger = (logger: FastifyBaseLogger): FastifyBaseLogger => logger;
