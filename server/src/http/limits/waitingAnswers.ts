import type { Socket } from "node:net";
import { Job } from "@tunnelplane/sdk/jobs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { holderOf } from "../../auth";
import { Budget, type GiveBack, type Holder } from "../../util";
import { callerAddress } from "../origin";
import type { Garbage } from "./garbage";

const MIB = 1024 * 1024;
/** An answer is cut off if the client reads nothing of it for this long. */
const UNREAD_MS = 30_000;
/** Limit of unread answers for each owner of API keys, or for each address without one. */
const BYTES_OF_ONE = 64 * MIB;
/** Limit of unread answers in all. */
const BYTES_OF_ALL = 256 * MIB;
const LOOK_EVERY_MS = 1_000;

interface Waiting {
  readonly request: FastifyRequest;
  readonly socket: Socket;
  readonly reader: Holder;
  readonly bytes: number;
  readonly giveBack: GiveBack;
  /** Bytes queued at the socket when that number last changed, and when that was. */
  queued: number;
  movedAt: number;
}

/**
 * Tracks answers that clients have not read yet. They hold memory, which is limited for each owner, in all,
 * and in time. Above a limit, the longest waiting answer is cut off first: of that owner, or of the project
 * that holds most.
 */
export class WaitingAnswers {
  /** Longest waiting first. An answer counts in full until the client has read all of it. */
  readonly #waiting = new Map<FastifyReply, Waiting>();
  readonly #bytes = new Budget({ work: "unread answers", size: BYTES_OF_ALL });
  #cutOff = 0;

  constructor(private readonly garbage: Garbage) {}

  /** Number of answers cut off because the client did not read them. */
  get cutOff(): number {
    return this.#cutOff;
  }

  watch(app: FastifyInstance): void {
    // With TLS, `request.raw.socket` is the secure socket, not the one of the "connection" event.
    for (const event of ["connection", "secureConnection"])
      app.server.on(event, (socket: Socket) => socket.once("close", () => this.#forget(socket)));
    app.addHook("onSend", (request, reply, payload, done) => {
      if (typeof payload === "string" || Buffer.isBuffer(payload))
        this.#add(request, reply, Buffer.byteLength(payload));
      done(null, payload);
    });
    app.addHook("onResponse", (_request, reply, done) => {
      this.#remove(reply);
      done();
    });
    const job = new Job({
      name: "cut off answers that nobody reads",
      everyMs: LOOK_EVERY_MS,
      work: () => this.#look(),
    }).start();
    app.addHook("onClose", () => job.stop());
  }

  #add(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
    const { socket } = request.raw;
    if (socket.destroyed) return;
    const address = callerAddress(request);
    const reader = request.caller ? holderOf(request.caller) : { project: address, owner: address };
    const giveBack = this.#bytes.hold(reader, bytes);
    this.#waiting.set(reply, {
      ...{ request, socket, reader, bytes, giveBack },
      queued: 0,
      movedAt: performance.now(),
    });
    const isReaders = (one: Waiting) =>
      one.reader.owner === reader.owner && one.reader.project === reader.project;
    while (this.#bytes.heldBy(reader) > BYTES_OF_ONE && this.#cutOffLongest(reply, isReaders));
    while (this.#bytes.inAll > BYTES_OF_ALL) {
      const most = this.#projectWithMost();
      const isOfMost = (one: Waiting) => one.reader.project === most;
      if (!this.#cutOffLongest(reply, isOfMost) && !this.#cutOffLongest(reply, () => true)) break;
    }
  }

  /** The project whose answers hold the most bytes. */
  #projectWithMost(): string | undefined {
    const projects = new Set([...this.#waiting.values()].map(({ reader }) => reader.project));
    return [...projects].sort((a, b) => this.#bytes.heldByProject(b) - this.#bytes.heldByProject(a))[0];
  }

  #remove(reply: FastifyReply): void {
    const waiting = this.#waiting.get(reply);
    if (!waiting || !this.#waiting.delete(reply)) return;
    waiting.giveBack();
    this.garbage.add(waiting.bytes);
  }

  /**
   * Forgets the answers of a closed connection. Node fires no event for answers that had not reached the
   * socket.
   */
  #forget(socket: Socket): void {
    for (const [reply, waiting] of this.#waiting) if (waiting.socket === socket) this.#remove(reply);
  }

  /** Never cuts off the newest answer, so that a client that reads gets its answer, however large. */
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
    request.log.warn(
      { operation_id: request.id, key: request.caller?.keyId, client: callerAddress(request), reason },
      "answer cut off",
    );
    socket.destroy();
    this.#forget(socket);
  }

  #look(): void {
    const now = performance.now();
    for (const waiting of this.#waiting.values()) {
      const queued = queuedBefore(waiting.socket);
      // Nothing is queued while an answer waits for an earlier one on the same connection; that is not the
      // client's fault.
      if (queued === 0 || queued !== waiting.queued) Object.assign(waiting, { queued, movedAt: now });
      else if (now - waiting.movedAt >= UNREAD_MS) this.#end(waiting, `not read for ${UNREAD_MS / 1000} s`);
    }
  }
}

/**
 * Bytes that the client has not taken yet. Node counts a text as queued until all of it is written, so
 * `writableLength` cannot tell a slow client from a stopped one. The handle can; Node's own time-out
 * reads it too.
 */
const queuedBefore = (socket: Socket): number =>
  socket.writableLength +
  ((socket as { _handle?: { writeQueueSize?: number } })._handle?.writeQueueSize ?? 0);
