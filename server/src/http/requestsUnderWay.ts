import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../apiError";

const RETRY_SOON = { headers: { "retry-after": "1" } };

/**
 * Which requests are not answered yet, and what becomes of more of them: when there are too many, further ones are
 * refused; when the server stops, those under way are answered and later ones refused.
 */
export class RequestsUnderWay {
  readonly #requests = new Set<FastifyRequest>();
  /** Those of them that are here as a whole, on routes that are limited. */
  readonly #atWork = new Set<FastifyRequest>();
  readonly #sockets = new Set<Socket>();
  #closing = false;
  #refused = 0;

  /** @param limit how many requests are worked on at once; 0 for no limit */
  constructor(private readonly limit: number) {}

  /** How many requests were refused because there were too many at once. */
  get refused(): number {
    return this.#refused;
  }

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
      if (this.#closing) throw new ApiError("unavailable", "The server is shutting down; try again shortly", RETRY_SOON);
      this.#requests.add(request);
    });
    app.addHook("onResponse", async (request) => {
      this.#requests.delete(request);
      this.#atWork.delete(request);
    });
    app.addHook("onSend", async (_request, reply) => {
      if (this.#closing) reply.header("connection", "close"); // else an idle client would hold up the end
    });
  }

  /** Refuses requests to these routes beyond the limit. To be called before anything is spent on them. */
  limitOn(routes: FastifyInstance): void {
    if (this.limit === 0) return;
    routes.addHook("onRequest", async (request) => {
      this.#begin(request);
      // What can be answered at once would be, one after the other, and those that came with it would wait uncounted.
      await nextTurn();
      // A body that is slow to arrive costs nothing, and must not keep others out.
      if (!request.raw.complete) this.#atWork.delete(request);
    });
    routes.addHook("preValidation", async (request) => {
      if (!this.#atWork.has(request)) this.#begin(request);
    });
  }

  #begin(request: FastifyRequest): void {
    if (this.#atWork.size >= this.limit) {
      this.#refused++;
      throw new ApiError("overloaded", `The server works on ${this.limit} requests already; try again shortly`, RETRY_SOON);
    }
    this.#atWork.add(request);
  }

  /** One line in the log for each request that is not answered yet. */
  log(): void {
    for (const request of this.#requests) {
      request.log.warn({ method: request.method, path: request.url.split("?")[0], client: request.ip }, "request cut off");
    }
  }
}
