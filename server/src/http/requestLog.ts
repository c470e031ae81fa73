import { type FastifyBaseLogger, LogController } from "fastify";

/** One line for each request, when it is answered. Never a header, a query or a body: they may hold secrets. */
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
      client: request.ip,
    };
    if (error) request.log.warn({ ...facts, err: error }, "connection lost");
    else request.log.info(facts, "request");
  }
}

/** The server's own logger for all requests: to make one for each takes as long as to write its line, so lines name their request themselves. */
export const oneLogger = (logger: FastifyBaseLogger): FastifyBaseLogger => logger;
