import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../apiError";

// Clients that ask again at once, and not when they were told to, would take as much time to refuse as others take to serve.
const REFUSED_REST_MS = 200;
const RETRY_SOON = { headers: { "retry-after": "1" } };

/**
 * Which requests are not answered yet, and what becomes of more of them: when there are too many, further ones are
 * refused; when the server stops, those under way are answered and later ones refused.
 */
export class RequestsUnderWay {
  readonly #replies = new Set<FastifyReply>();
  /** Those of their requests that are here as a whole, on routes that are limited. */
  readonly #atWork = new Set<FastifyRequest>();
  /** Those that were refused because there were too many, and whose refusal is on its way. */
  readonly #turnedAway = new WeakSet<FastifyRequest>();
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
      socket.once("close", () => {
        this.#sockets.delete(socket);
        // Nobody says that an answer is over which nobody waits for any more.
        for (const reply of this.#replies) if (reply.request.raw.socket === socket) this.#end(reply);
      });
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
      done(new ApiError("unavailable", "The server is shutting down; try again shortly", RETRY_SOON));
    });
    app.addHook("onResponse", (request, reply, done) => {
      this.#end(reply);
      if (this.#turnedAway.has(request)) letRest(request.raw.socket);
      done();
    });
  }

  /** Refuses requests to these routes beyond the limit. To be called before anything is spent on them. */
  limitOn(routes: FastifyInstance): void {
    if (this.limit === 0) return;
    routes.addHook("onRequest", (request, _reply, done) => {
      const refusal = this.#begin(request);
      if (refusal) return done(refusal);
      // What can be answered at once would be, one after the other, and those that came with it would wait uncounted.
      setImmediate(() => {
        // A body that is slow to arrive costs nothing, and must not keep others out.
        if (!request.raw.complete) this.#atWork.delete(request);
        done();
      });
    });
    routes.addHook("preValidation", (request, _reply, done) => done(this.#atWork.has(request) ? undefined : this.#begin(request)));
  }

  #end(reply: FastifyReply): void {
    this.#replies.delete(reply);
    this.#atWork.delete(reply.request);
  }

  /** Takes a request among those at work, or else says why not. */
  #begin(request: FastifyRequest): ApiError | undefined {
    if (this.#atWork.size >= this.limit) {
      this.#refused++;
      this.#turnedAway.add(request);
      return new ApiError("overloaded", `The server works on ${this.limit} requests already; try again shortly`, RETRY_SOON);
    }
    if (!request.raw.socket.destroyed) this.#atWork.add(request);
    return undefined;
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

/** Reads nothing more from a connection for a moment. */
function letRest(socket: Socket): void {
  socket.pause();
  setTimeout(() => socket.resume(), REFUSED_REST_MS);
}
