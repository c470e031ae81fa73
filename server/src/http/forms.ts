import { isUtf8 } from "node:buffer";
import { fieldsOfForm } from "@tunnelplane/sdk/contract";
import type { FastifyInstance } from "fastify";
import { RequestError } from "../util";

const FORM_TYPE = "application/x-www-form-urlencoded";
/** In bytes. Nothing of a token has to be percent-encoded. */
export const MAX_FORM_SIZE = 64 * 1024;
/** Of one form; the longest that is asked for has a dozen. */
const MAX_FIELDS = 100;

/** A form, read. */
class Form {
  constructor(readonly fields: readonly (readonly [name: string, value: string])[]) {}
}

/** Has routes take forms in UTF-8, and nothing else. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    FORM_TYPE,
    { parseAs: "buffer", bodyLimit: MAX_FORM_SIZE },
    (request, body, done) => {
      const encoding = request.headers["content-encoding"] ?? "identity";
      // With `parseAs: "buffer"`, Fastify gives a Buffer; its types say string too.
      if (encoding !== "identity" || !isUtf8(body as Buffer)) return done(noForm());
      const fields = fieldsOfForm(body as Buffer, MAX_FIELDS);
      if (fields) done(null, new Form(fields));
      else done(tooManyFields());
    },
  );
  scope.addContentTypeParser("*", (_request, _body, done) => done(noForm()));
}

const noForm = () =>
  new RequestError(
    "not_json",
    `The body must be a form in UTF-8, with the header "Content-Type: ${FORM_TYPE}"`,
  );

const tooManyFields = () =>
  new RequestError(
    "invalid_field",
    `The form has more than ${MAX_FIELDS} fields; send those that are asked for`,
  );

/**
 * Reads the fields of a form. Unknown ones are ignored, empty ones count as left out (RFC 6749 section 3.2).
 */
export function fieldsOf(body: unknown): (name: string) => string | undefined {
  const fields = body instanceof Form ? body.fields : [];
  return (name) => {
    const [value, ...more] = fields.flatMap(([field, text]) => (field === name ? [text] : []));
    if (more.length > 0) throw wrongField(name, "is given more than once; give it once");
    return value || undefined;
  };
}

/** The refusal of a field of a form. */
export const wrongField = (field: string, message: string): RequestError =>
  new RequestError("invalid_field", `${field} ${message}`, { field });
