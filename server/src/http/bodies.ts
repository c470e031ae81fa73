import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { quoted, RequestError } from "../util";
import { parseJson } from "./json";
import { type BodyRoom, refuseOutsized } from "./limits/bodyLimits";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The limits of a route's bodies, where the common ones are too low. */
    room?: BodyRoom;
  }
}

/** The largest body of a request, in bytes, where a route sets no limit of its own. */
export const BODY_LIMIT = 1024 * 1024;
export const JSON_TYPE = "application/json; charset=utf-8";
const MISSING = "The body is missing or empty; send a JSON object, {} if there is nothing to set";

/**
 * Accepts only JSON in UTF-8. An empty body counts as none, because many clients send a Content-Type with
 * every request.
 */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    // With `parseAs: "buffer"`, Fastify gives a Buffer; its types say string too.
    try {
      if (body.length === 0) done(null, undefined);
      else if (request.routeOptions.config.large === "bytes") done(null, utf8Of(request, body as Buffer));
      else done(null, parse(request, body as Buffer));
    } catch (refusal) {
      done(refusal as Error);
    }
  });
}

/** A body that is read later. */
function utf8Of(request: FastifyRequest, bytes: Buffer): Buffer {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers["content-type"] ?? "")?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new RequestError(
      "malformed_json",
      `The body must be UTF-8, as JSON is; the charset ${quoted(charset)} is not accepted`,
    );
  if (!isUtf8(bytes))
    throw new RequestError(
      "malformed_json",
      `The body is not valid UTF-8 (at character ${charactersBeforeMistake(bytes) + 1})`,
    );
  return bytes;
}

function parse(request: FastifyRequest, bytes: Buffer): unknown {
  const text = utf8Of(request, bytes)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
  const body = parseJson(text);
  refuseOutsized(body, request.routeOptions.config.room);
  return body;
}

/** Counts the characters before the first invalid UTF-8. */
function charactersBeforeMistake(bytes: Buffer): number {
  let [sound, broken] = [0, bytes.length];
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    // Cut at the start of a character, so that the cut itself breaks none.
    if (isUtf8(bytes.subarray(0, startOfCharacter(bytes, middle)))) sound = middle;
    else broken = middle;
  }
  return bytes.subarray(0, startOfCharacter(bytes, sound)).toString("utf8").length;
}

function startOfCharacter(bytes: Buffer, offset: number): number {
  let start = offset;
  while (start > 0 && offset - start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

/** Returns the body if it is a JSON object; refuses anything else. */
export function objectIn(body: unknown): unknown {
  if (body === undefined) throw new RequestError("malformed_json", MISSING);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw new RequestError(
    "malformed_json",
    'The body must be a JSON object, for example {"description": "mine"}',
  );
}
