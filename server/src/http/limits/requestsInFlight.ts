import type { Socket } from "node:net";
import { counted } from "@tunnelplane/sdk/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { holderOf } from "../../auth";
import { Budget, customerOf, type GiveBack, type Holder, RequestError, Turns } from "../../util";
import { callerAddress } from "../origin";

/** Slots apart from the common ones. */
export type SlotKind = "keys" | "waits" | "exchanges" | "sign_ins";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Which slots a request takes. Default: the common ones. */
    slots?: (request: FastifyRequest) => SlotKind | undefined;
  }
}

// Slows down clients that ignore Retry-After: refusing them would cost as much time as serving others.
const REFUSED_REST_MS = 200;
const RETRY_SOON = { headers: { "retry-after": "1" } };
/**
 * Reserved for admins who list and delete API keys, so that they can remove an overloading key even under
 * full load.
 */
const SLOTS_FOR_KEYS = 8;
/** Requests of one owner that may wait at once, for other services or for the next change. */
const MAX_WAITS = 8;
/**
 * Exchanges of identity tokens at once, a quarter of them from one address. They may wait for an issuer, and
 * must not take the slots of others.
 */
const MAX_EXCHANGES = 64;
/** Sign-ins at once, a quarter of them from one address: they wait for the identity provider. */
const MAX_SIGN_INS = 64;
/** The holder of requests without a valid key. No project and no owner has this id. */
const ANONYMOUS: Holder = { project: "", owner: "" };

const slots = (size: number, shrinks = false) => new Budget({ work: "requests", size, shrinks });

/** An address, which is nobody's. */
const strangerOf = (request: FastifyRequest): Holder => {
  const address = customerOf(callerAddress(request));
  return { project: address, owner: address };
};

/**
 * Tracks the requests that are not answered yet. If there are too many, or too many of one owner, it refuses
 * further ones. When the server stops, it lets requests in flight finish and refuses later ones.
 */
export class RequestsInFlight {
  readonly #replies = new Set<FastifyReply>();
  readonly #slots: Budget;
  readonly #forKeys = slots(SLOTS_FOR_KEYS);
  readonly #waits = slots(Number.POSITIVE_INFINITY);
  /** Slots of requests that wait for servers of others, with what a refusal says of them. */
  readonly #elsewhere = {
    exchanges: { slots: slots(MAX_EXCHANGES), does: "exchanges too many identity tokens" },
    sign_ins: { slots: slots(MAX_SIGN_INS), does: "has too many people signing in" },
  };
  readonly #lookups: Budget;
  readonly #turns: Turns;
  /** The slots in use, by request. */
  readonly #held = new Map<FastifyRequest, GiveBack>();
  /** Requests whose work is running; it goes on after the client disconnects. */
  readonly #atWork = new Set<FastifyRequest>();
  /** Requests that were refused for overload. */
  readonly #turnedAway = new WeakSet<FastifyRequest>();
  readonly #sockets = new Set<Socket>();
  #closing = false;
  #refused = 0;

  /** @param limit how many requests may run at once; 0 for no limit */
  constructor(private readonly limit: number) {
    const size = limit === 0 ? Number.POSITIVE_INFINITY : limit;
    this.#slots = slots(size, true);
    this.#lookups = slots(size);
    const usedBy = (project: string) =>
      this.#slots.heldByProject(project) + this.#waits.heldByProject(project);
    this.#turns = new Turns(usedBy);
  }

  /** How many requests were refused because there were too many at once. */
  get refused(): number {
    return this.#refused;
  }

  /** Call this before other hooks are added. */
  watch(app: FastifyInstance): void {
    app.server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    // With TLS, `request.raw.socket` is the secure socket, not the one of the "connection" event.
    for (const event of ["connection", "secureConnection"])
      app.server.on(event, (socket: Socket) => socket.once("close", () => this.#leave(socket)));
    app.addHook("preClose", async () => {
      this.#closing = true;
      // Node counts a new connection as busy until its first request ends, even if that never comes.
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
      for (const reply of this.#replies) reply.header("connection", "close"); // idle clients would delay the shutdown
    });
    app.addHook("onRequest", (_request, reply, done) => {
      this.#replies.add(reply);
      if (!this.#closing) return done();
      // This can happen only on open connections; new ones are not accepted.
      done(new RequestError("unavailable", "The server is shutting down; try again shortly", RETRY_SOON));
    });
    // The work is done: free the slot. WaitingAnswers limits how long the client may take to read the answer.
    app.addHook("onSend", (request, _reply, payload, done) => {
      this.#giveBack(request);
      done(null, payload);
    });
    app.addHook("onResponse", (request, reply, done) => {
      this.#replies.delete(reply);
      this.#giveBack(request);
      if (this.#turnedAway.has(request)) pause(request.raw.socket);
      done();
    });
  }

  /**
   * Makes requests to these routes take their slots once their bodies have arrived, if {@link admit} did not,
   * and hold them until their work ends, even if the client disconnects.
   */
  limitOn(routes: FastifyInstance): void {
    routes.addHook("onRoute", (route) => {
      const { handler } = route;
      route.handler = (request, reply) =>
        this.#during(request, async () => handler.call(routes, request, reply));
    });
    routes.addHook("preValidation", async (request) => {
      if (!this.#held.has(request)) await this.#begin(request);
    });
  }

  /** Takes a slot for a request that has arrived completely. Call this once the caller is known. */
  async admit(request: FastifyRequest): Promise<void> {
    // A slow body costs nothing, so it must not occupy a slot.
    if (request.raw.complete) await this.#begin(request);
  }

  async #begin(request: FastifyRequest): Promise<void> {
    const refusal = this.#take(request);
    if (refusal) throw refusal;
    // Other requests that came with it are counted first. If not, quick ones would be answered one by one and
    // never count.
    await this.turn(request);
  }

  /** Waits for a turn of a request's project: many that begin at once would hold up the others. */
  turn(request: FastifyRequest): Promise<void> {
    const { caller } = request;
    return this.#turns.take(caller ? holderOf(caller) : ANONYMOUS);
  }

  /** Takes a slot to look up an unknown key. One address gets a quarter of the slots at most. */
  lookUp(request: FastifyRequest): GiveBack {
    const slot = this.#lookups.take(strangerOf(request), { share: this.#lookups.part(4) });
    if (typeof slot === "function") return slot;
    throw this.#refuse(request, "The server looks up too many API keys from this address already");
  }

  async #during<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
    this.#atWork.add(request);
    try {
      return await work();
    } finally {
      this.#atWork.delete(request);
      if (request.raw.socket.destroyed) this.#giveBack(request);
    }
  }

  /** Takes a slot for a request that has none. Returns a refusal if that is not possible. */
  #take(request: FastifyRequest): RequestError | undefined {
    if (request.raw.socket.destroyed) return undefined;
    const { caller } = request;
    const kind = request.routeOptions.config.slots?.(request);
    const holder = caller ? holderOf(caller) : ANONYMOUS;
    const hold = (slot: ReturnType<Budget["take"]>): boolean => {
      if (typeof slot === "function") this.#held.set(request, slot);
      return typeof slot === "function";
    };
    if (kind === "waits" && caller)
      return hold(this.#waits.take(holder, { share: MAX_WAITS }))
        ? undefined
        : this.#refuse(request, `${MAX_WAITS} requests of this API key's owner already wait`);
    if (kind === "exchanges" || kind === "sign_ins") {
      const { slots: apart, does } = this.#elsewhere[kind];
      return hold(apart.take(strangerOf(request), { share: apart.part(4) }))
        ? undefined
        : this.#refuse(request, `The server ${does} already`);
    }
    if (
      kind === "keys" &&
      caller?.admin &&
      hold(this.#forKeys.take(holder, { share: this.#forKeys.part(2) }))
    )
      return undefined;
    const slot = this.#slots.take(holder, { share: this.#slots.part(caller ? 2 : 4) });
    if (hold(slot)) return undefined;
    if (slot === "all")
      return this.#refuse(request, `The server works on ${counted(this.limit, "request")} already`);
    const [held, whose] =
      slot === "project"
        ? [this.#slots.heldByProject(holder.project), "of this project"]
        : [this.#slots.heldBy(holder), caller ? "of this API key's owner" : "without a valid API key"];
    return this.#refuse(request, `The server works on ${counted(held, "request")} ${whose} already`);
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

  /** Fastify fires no onResponse after a disconnect; free the slot here. */
  #leave(socket: Socket): void {
    for (const reply of this.#replies) {
      const { request } = reply;
      if (request.raw.socket !== socket) continue;
      this.#replies.delete(reply);
      if (!this.#atWork.has(request)) this.#giveBack(request);
    }
  }

  /** Hangs up where a request has not arrived to its end: nothing works on it. */
  endHalfSent(): void {
    const isWhole = ({ request }: FastifyReply) => request.raw.complete;
    this.log([...this.#replies].filter((reply) => !isWhole(reply)));
    const atWork = new Set(
      [...this.#replies].filter(isWhole).map(({ request }) => peerOf(request.raw.socket)),
    );
    for (const socket of this.#sockets) if (!atWork.has(peerOf(socket))) socket.destroy();
  }

  /** Logs requests that are not answered yet. */
  log(replies: Iterable<FastifyReply> = this.#replies): void {
    for (const { request } of replies) {
      request.log.warn(
        {
          operation_id: request.id,
          method: request.method,
          path: request.url.split("?")[0],
          client: callerAddress(request),
        },
        "request cut off",
      );
    }
  }
}

/** The other end of a connection: with TLS the same for the connection and for the secure one on it. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Stops reading from a connection for a moment. */
function pause(socket: Socket): void {
  socket.pause();
  setTimeout(() => socket.resume(), REFUSED_REST_MS);
}
