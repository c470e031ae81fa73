import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../apiError";

/** What happens to requests when the server stops: those under way are answered, later ones refused. */
export class RequestsUnderWay {
  readonly #requests = new Set<FastifyRequest>();
  readonly #sockets = new Set<Socket>();
  #closing = false;

  /** To be called before anything else looks at requests. */
  watch(app: FastifyInstance): void {
    app.server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    app.addHook("preClose", async () => {
      this.#closing = true;
      // Node takes a connection for a busy one until its first request is over, though nothing may ever come.
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    });
    app.addHook("onRequest", async (request) => {
      // Only on connections that clients still have open; new ones are not accepted.
      if (this.#closing) {
        throw new ApiError("unavailable", "The server is shutting down; try again shortly", { headers: { "retry-after": "1" } });
      }
      this.#requests.add(request);
    });
    app.addHook("onResponse", async (request) => {
      this.#requests.delete(request);
    });
    app.addHook("onSend", async (_request, reply) => {
      if (this.#closing) reply.header("connection", "close"); // else an idle client would hold up the end
    });
  }

  /** One line in the log for each request that is not answered yet. */
  log(): void {
    for (const request of this.#requests) {
      request.log.warn({ method: request.method, path: request.url.split("?")[0], client: request.ip }, "request cut off");
    }
  }
}
