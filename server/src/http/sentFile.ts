import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A file that is the same for everybody: sent once while it stays the same, and compressed if understood. */
export class SentFile {
  readonly #etag: string;
  #compressed: Promise<Buffer> | undefined;

  constructor(
    private readonly content: Buffer,
    private readonly type: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {
    this.#etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 27)}"`;
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<Buffer | undefined> {
    reply.headers({
      etag: this.#etag,
      vary: "accept-encoding",
      ...this.headers,
    });
    if (request.headers["if-none-match"] === this.#etag) {
      reply.code(304);
      return undefined;
    }
    reply.type(this.type);
    if (!/\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))) return this.content;
    reply.header("content-encoding", "gzip");
    this.#compressed ??= promisify(gzip)(this.content);
    return this.#compressed;
  }
}
