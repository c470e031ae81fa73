import { MAX_NAME_BYTES, NAME_HEADER, NOT_IN_NAMES, own } from "@tunnelplane/sdk/contract";
import type { FastifyRequest } from "fastify";
import { quoted, RequestError } from "../util";
import type { ApiOperation } from "./operations/operation";

const RULE = `${NAME_HEADER} must be percent-encoded UTF-8 of at most ${MAX_NAME_BYTES} bytes, without control characters`;
const WRITTEN = /^[ -~]*$/;

/** The name that a request gives its object: "" for none, undefined if the request leaves it as it is. */
export function nameIn(
  { raw }: FastifyRequest,
  { takesName, method, path }: ApiOperation,
): string | undefined {
  const [written, ...more] = own(raw.headersDistinct, NAME_HEADER.toLowerCase()) ?? [];
  if (written === undefined) return undefined;
  if (!takesName)
    throw refusal(
      `${NAME_HEADER} stands for the name of an object, which its creation or PATCH gives it; ${method} ${path} names none, so leave it out`,
    );
  if (more.length > 0) throw refusal(`${NAME_HEADER} is given ${more.length + 1} times; give it once`);
  const found = decoded(written);
  if (found === undefined)
    throw refusal(
      `${RULE}; it is ${quoted(written)}, which is not encoded like that: "caf%C3%A9" stands for "café"`,
    );
  const bytes = Buffer.byteLength(found);
  if (bytes > MAX_NAME_BYTES) throw refusal(`${RULE}; it has ${bytes}`);
  if (NOT_IN_NAMES.test(found)) throw refusal(`${RULE}; it is ${quoted(written)}`);
  return found;
}

/** Undefined if it is not percent-encoded UTF-8. */
function decoded(written: string): string | undefined {
  if (!WRITTEN.test(written)) return undefined;
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

const refusal = (message: string): RequestError => new RequestError("invalid_header", message);
