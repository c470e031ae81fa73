import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply } from "fastify";
import { ApiError } from "../apiError";

/** What happens to requests when the server stops: those under way are answered, later ones refused. */
export class RequestsUnderWay {
  readonly #replies = new Set<FastifyReply>();
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
      for (const reply of this.#replies) reply.header("connection", "close"); // else an idle client would hold up the end
    });
    app.addHook("onRequest", (_request, reply, done) => {
      this.#replies.add(reply);
      if (!this.#closing) return done();
      // Only on connections that clients still have open; new ones are not accepted.
      done(new ApiError("unavailable", "The server is shutting down; try again shortly", { headers: { "retry-after": "1" } }));
    });
    app.addHook("onResponse", (_request, reply, done) => {
      this.#replies.delete(reply);
      done();
    });
  }

  /** One line in the log for each request that is not answered yet. */
  log(): void {
    for (const { request } of this.#replies) {
      request.log.warn(
        { operation_id: request.id, method: request.method, path: request.url.split("?")[0], client: request.ip },
        "request cut off",
      );
    }
  }
}
