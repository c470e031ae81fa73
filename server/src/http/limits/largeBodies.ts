import type { FastifyReply, FastifyRequest } from "fastify";
import { refusalForNow } from "../../util";

const MIB = 1024 * 1024;
/** Most bytes of a change set, or of a gateway's report. */
export const LARGE_BODY = 16 * MIB;
/** Of one owner's large bodies at once: two of the largest. */
const BYTES_OF_ONE = 2 * LARGE_BODY;
const BYTES_OF_ALL = 8 * LARGE_BODY;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Of a route that takes bodies of up to 16 MiB: whether it gets their bytes, or their JSON. */
    large?: "bytes" | "json";
  }
}

/** Bounds the memory of large bodies: refuses one before it is read, while too many bytes are under way. */
export class LargeBodies {
  readonly #bytesOf = new Map<string, number>();
  #inAll = 0;

  admit(request: FastifyRequest, reply: FastifyReply): void {
    const { ownerId } = request.caller;
    const bytes = Math.min(Number(request.headers["content-length"] ?? LARGE_BODY), LARGE_BODY);
    const own = this.#bytesOf.get(ownerId) ?? 0;
    if (own + bytes > BYTES_OF_ONE || this.#inAll + bytes > BYTES_OF_ALL)
      throw refusalForNow(
        "overloaded",
        "Too many bytes of change sets and reports are under way; try again shortly",
      );
    this.#bytesOf.set(ownerId, own + bytes);
    this.#inAll += bytes;
    reply.raw.once("close", () => {
      this.#inAll -= bytes;
      const left = (this.#bytesOf.get(ownerId) ?? 0) - bytes;
      if (left > 0) this.#bytesOf.set(ownerId, left);
      else this.#bytesOf.delete(ownerId);
    });
  }
}
