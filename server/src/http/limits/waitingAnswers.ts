import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const MIB = 1024 * 1024;
/** How long an answer may wait without anything of it being read. */
const UNREAD_MS = 30_000;
/** What may wait to be read by one API key, and by whoever has none at one address. */
const BYTES_OF_ONE = 64 * MIB;
/** What may wait to be read by all. */
const BYTES_OF_ALL = 256 * MIB;
const LOOK_EVERY_MS = 1_000;

interface Waiting {
  readonly request: FastifyRequest;
  readonly socket: Socket;
  readonly reader: string;
  readonly bytes: number;
  /** How much lay before the socket at the last look that found less or more than the one before, and when that was. */
  queued: number;
  movedAt: number;
}

/**
 * The answers that were handed over and are not read yet. They hold no slot but memory, which is bounded: for each key,
 * in all, and in time. What is too much is cut off, those that wait longest first.
 */
export class WaitingAnswers {
  /** The longest waiting first. An answer counts as a whole until all of it is read. */
  readonly #waiting = new Map<FastifyReply, Waiting>();
  readonly #bytesOf = new Map<string, number>();
  #bytesInAll = 0;
  #cutOff = 0;

  /** How many answers were cut off because they were not read. */
  get cutOff(): number {
    return this.#cutOff;
  }

  watch(app: FastifyInstance): void {
    // The sockets that requests name: with TLS, those are others than the ones that connect.
    for (const event of ["connection", "secureConnection"])
      app.server.on(event, (socket: Socket) => socket.once("close", () => this.#forget(socket)));
    app.addHook("onSend", (request, reply, payload, done) => {
      if (typeof payload === "string" || Buffer.isBuffer(payload)) this.#add(request, reply, Buffer.byteLength(payload));
      done(null, payload);
    });
    app.addHook("onResponse", (_request, reply, done) => {
      this.#remove(reply);
      done();
    });
    const looking = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    app.addHook("onClose", async () => clearInterval(looking));
  }

  #add(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
    const { socket } = request.raw;
    if (socket.destroyed) return;
    const reader = request.caller?.keyId ?? request.ip;
    this.#waiting.set(reply, { request, socket, reader, bytes, queued: 0, movedAt: performance.now() });
    this.#count(reader, bytes);
    while (this.#bytesOfReader(reader) > BYTES_OF_ONE && this.#cutOffLongest(reply, (one) => one.reader === reader));
    while (this.#bytesInAll > BYTES_OF_ALL && this.#cutOffLongest(reply, () => true));
  }

  #remove(reply: FastifyReply): void {
    const waiting = this.#waiting.get(reply);
    if (waiting && this.#waiting.delete(reply)) this.#count(waiting.reader, -waiting.bytes);
  }

  /** Answers on a connection that is closed wait no longer; Node does not say so of those that had not got to the socket. */
  #forget(socket: Socket): void {
    for (const [reply, waiting] of this.#waiting) if (waiting.socket === socket) this.#remove(reply);
  }

  #count(reader: string, bytes: number): void {
    this.#bytesInAll += bytes;
    const left = this.#bytesOfReader(reader) + bytes;
    if (left > 0) this.#bytesOf.set(reader, left);
    else this.#bytesOf.delete(reader);
  }

  #bytesOfReader(reader: string): number {
    return this.#bytesOf.get(reader) ?? 0;
  }

  /** Never the newest itself: however large an answer is, whoever reads it gets it. */
  #cutOffLongest(newest: FastifyReply, among: (waiting: Waiting) => boolean): boolean {
    for (const [reply, waiting] of this.#waiting) {
      if (reply === newest || !among(waiting)) continue;
      this.#end(waiting, "too much waits to be read");
      return true;
    }
    return false;
  }

  #end({ request, socket }: Waiting, reason: string): void {
    this.#cutOff++;
    request.log.warn({ operation_id: request.id, key: request.caller?.keyId, client: request.ip, reason }, "answer cut off");
    socket.destroy();
    this.#forget(socket);
  }

  #look(): void {
    const now = performance.now();
    for (const waiting of this.#waiting.values()) {
      const queued = queuedBefore(waiting.socket);
      // Nothing is queued where an answer waits for the one before it, on which the server still works.
      if (queued === 0 || queued !== waiting.queued) Object.assign(waiting, { queued, movedAt: now });
      else if (now - waiting.movedAt >= UNREAD_MS) this.#end(waiting, `not read for ${UNREAD_MS / 1000} s`);
    }
  }
}

/**
 * How many bytes the other side has not taken yet. Node counts a text as queued until all of it is written, so it does not
 * say whether somebody reads slowly or not at all; the handle below does, and Node's own time-out looks there too.
 */
const queuedBefore = (socket: Socket): number =>
  socket.writableLength + ((socket as { _handle?: { writeQueueSize?: number } })._handle?.writeQueueSize ?? 0);
