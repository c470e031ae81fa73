import type { FastifyReply, FastifyRequest } from "fastify";
import { holderOf } from "../../auth";
import { Budget, refusalForNow } from "../../util";

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

/** Bounds the memory of large bodies: refuses one before it is read, while too many bytes are in flight. */
export class LargeBodies {
  readonly #bytes = new Budget({ work: "large bodies", size: BYTES_OF_ALL });

  admit(request: FastifyRequest, reply: FastifyReply): void {
    const amount = Math.min(Number(request.headers["content-length"] ?? LARGE_BODY), LARGE_BODY);
    const giveBack = this.#bytes.take(holderOf(request.caller), { amount, share: BYTES_OF_ONE });
    if (typeof giveBack === "string")
      throw refusalForNow(
        "overloaded",
        "Too many bytes of change sets and reports are in flight; try again shortly",
      );
    reply.raw.once("close", giveBack);
  }
}
