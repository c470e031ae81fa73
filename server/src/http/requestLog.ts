import { LogController } from "fastify";

/** One line for each request, when it is answered. Never a header, a query or a body: they may hold secrets. */
export class RequestLog extends LogController {
  constructor() {
    super({ requestIdLogLabel: "operation_id" });
  }

  override incomingRequest(): void {}

  override requestCompleted(...[error, request, reply]: Parameters<LogController["requestCompleted"]>): void {
    const facts = {
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
