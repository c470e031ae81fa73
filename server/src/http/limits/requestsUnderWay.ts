import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { customerOf, RequestError } from "../../util";
import { type GiveBack, Slots } from "./slots";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Which slots requests to a route take: those that all share, where it is not said. */
    slots?: "keys" | "waits";
  }
}

// Clients that ask again at once, and not when they were told to, would take as much time to refuse as others take to serve.
const REFUSED_REST_MS = 200;
const RETRY_SOON = { headers: { "retry-after": "1" } };
/** For an admin who lists and deletes API keys, whatever else is asked: to be rid of whoever asks too much. */
const SLOTS_FOR_KEYS = 8;
/** How much of one owner may wait for others, such as the services that events go to. */
const MOST_WAITS = 8;
/** Requests without a key, and those whose key is not known. No owner is called so. */
const ANONYMOUS = "";

/**
 * Which requests are not answered yet, and what becomes of more of them: when there are too many, or too many of one
 * owner, further ones are refused; when the server stops, those under way are answered and later ones refused.
 */
export class RequestsUnderWay {
  readonly #replies = new Set<FastifyReply>();
  readonly #slots: Slots;
  readonly #forKeys = new Slots(SLOTS_FOR_KEYS);
  readonly #waits = new Slots(0);
  readonly #lookups: Slots;
  /** The slots that are held, by those that hold them. */
  readonly #held = new Map<FastifyRequest, GiveBack>();
  /** Those of them that are worked on: their work goes on when nobody waits for it any more. */
  readonly #atWork = new Set<FastifyRequest>();
  /** Those that were refused because there were too many, and whose refusal is on its way. */
  readonly #turnedAway = new WeakSet<FastifyRequest>();
  readonly #sockets = new Set<Socket>();
  #closing = false;
  #refused = 0;

  /** @param limit how many requests are worked on at once; 0 for no limit */
  constructor(private readonly limit: number) {
    this.#slots = new Slots(limit);
    this.#lookups = new Slots(limit);
  }

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
    // The sockets that requests name: with TLS, those are others than the ones that connect.
    for (const event of ["connection", "secureConnection"])
      app.server.on(event, (socket: Socket) => socket.once("close", () => this.#leave(socket)));
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
      done(new RequestError("unavailable", "The server is shutting down; try again shortly", RETRY_SOON));
    });
    // The answer is handed over. How long it takes to be read is the business of WaitingAnswers.
    app.addHook("onSend", (request, _reply, payload, done) => {
      this.#giveBack(request);
      done(null, payload);
    });
    app.addHook("onResponse", (request, reply, done) => {
      this.#replies.delete(reply);
      this.#giveBack(request);
      if (this.#turnedAway.has(request)) letRest(request.raw.socket);
      done();
    });
  }

  /** Has requests to these routes whose bodies came later than their headers take their slots then. */
  limitOn(routes: FastifyInstance): void {
    routes.addHook("preValidation", (request, _reply, done) => done(this.#take(request)));
  }

  /** Takes a slot for a request that is here as a whole, for its caller or for nobody. To be called once the caller is known. */
  async admit(request: FastifyRequest): Promise<void> {
    // A body that is slow to arrive costs nothing, and must not keep others out.
    if (!request.raw.complete) return;
    const refusal = this.#take(request);
    if (refusal) throw refusal;
    // What can be answered at once would be, one after the other, and those that came with it would wait uncounted.
    await nextTurn();
  }

  /** A place for finding out whose an unknown key is: no address takes more than a quarter of them. */
  lookUp(request: FastifyRequest): GiveBack {
    const place = this.#lookups.take(customerOf(request.ip), this.#lookups.part(4));
    if (place) return place;
    throw this.#refuse(request, "The server looks up too many API keys from this address already");
  }

  /** Works on a request; its slot is held until that is over, also when the client goes without the answer. */
  async during<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
    this.#atWork.add(request);
    try {
      return await work();
    } finally {
      this.#atWork.delete(request);
      if (request.raw.socket.destroyed) this.#giveBack(request);
    }
  }

  /** Takes a slot for a request that has none, or else says why not. */
  #take(request: FastifyRequest): RequestError | undefined {
    if (this.#held.has(request) || request.raw.socket.destroyed) return undefined;
    const { caller } = request;
    const { slots } = request.routeOptions.config;
    if (slots === "waits" && caller) {
      const wait = this.#waits.take(caller.ownerId, MOST_WAITS);
      if (!wait) return this.#refuse(request, `${MOST_WAITS} requests of this API key's owner wait for an answer from elsewhere already`);
      this.#held.set(request, wait);
      return undefined;
    }
    const ownSlot = slots === "keys" && caller?.admin && this.#forKeys.take(caller.ownerId, this.#forKeys.part(2));
    const holder = caller?.ownerId ?? ANONYMOUS;
    const share = this.#slots.part(caller ? 2 : 4);
    const slot = ownSlot || this.#slots.take(holder, share);
    if (slot) {
      this.#held.set(request, slot);
      return undefined;
    }
    if (this.#slots.heldBy(holder) < share) return this.#refuse(request, `The server works on ${this.limit} requests already`);
    const whose = caller ? "of this API key's owner" : "without a valid API key";
    return this.#refuse(request, `The server works on ${share} requests ${whose} already`);
  }

  #refuse(request: FastifyRequest, reason: string): RequestError {
    this.#refused++;
    this.#turnedAway.add(request);
    return new RequestError("overloaded", `${reason}; try again shortly`, RETRY_SOON);
  }

  #giveBack(request: FastifyRequest): void {
    this.#held.get(request)?.();
    this.#held.delete(request);
  }

  /** Nobody says that an answer is over which nobody waits for any more. */
  #leave(socket: Socket): void {
    for (const reply of this.#replies) {
      const { request } = reply;
      if (request.raw.socket !== socket) continue;
      this.#replies.delete(reply);
      if (!this.#atWork.has(request)) this.#giveBack(request);
    }
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
