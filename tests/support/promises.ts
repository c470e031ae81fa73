import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import type { RestAnswer } from "./rest";

interface Document {
  readonly paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, unknown> }> }>
  >;
}

/** Errors that every request may get: before the operation is known, and for unknown paths. */
const ANYWHERE = [400, 401, 404, 405, 408, 413, 415, 431];
/** Paths for programs that watch the server; not part of the API. */
const BESIDE_THE_API = ["/livez", "/readyz", "/openapi.json", "/openapi-wire.json"];
/** Optimizing what is compiled takes longer than all checks together. */
export const COMPILED_PLAINLY = { code: { optimize: false }, inlineRefs: false };

export class Promises {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, ...COMPILED_PLAINLY });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #paths: readonly { readonly pattern: RegExp; readonly path: string }[];

  constructor(private readonly document: Document) {
    this.#ajv.addSchema(document, "openapi");
    this.#paths = Object.keys(document.paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
    }));
  }

  /** What is wrong with the answer to a request with this first line; undefined if nothing is. */
  fault(requestLine: string, { status, headers, text, body }: RestAnswer): string | undefined {
    const [method = "", target = ""] = requestLine.split(/ +/);
    if (!(status < 500)) return "it is a 5xx";
    const type = headers.get("content-type");
    if (status !== 204 && !/^application\/json(;|$)/.test(type ?? "")) return `its Content-Type is ${type}`;
    if (method === "HEAD" || status === 204) return text === "" ? undefined : "it has a body";
    const path = pathOf(target);
    const schema = this.#promised(method, path, status);
    if (schema === undefined)
      return BESIDE_THE_API.includes(path) && status === 200 ? undefined : "the document does not have it";
    const validate = this.#validator(schema);
    if (body === undefined) return "its body is not JSON";
    return validate(body) ? undefined : this.#ajv.errorsText(validate.errors);
  }

  /** The path in the document to the schema of such an answer. */
  #promised(method: string, path: string, status: number): string | undefined {
    const known = this.#paths.find(({ pattern }) => pattern.test(path))?.path;
    const name = method.toLowerCase();
    if (known && this.document.paths[known]?.[name]?.responses[status]?.content) {
      return `/paths/${known.replaceAll("/", "~1")}/${name}/responses/${status}/content/application~1json/schema`;
    }
    return ANYWHERE.includes(status) ? "/components/schemas/Error" : undefined;
  }

  #validator(pointer: string): ValidateFunction {
    const known =
      this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `openapi#${encodeURI(pointer)}` });
    this.#validators.set(pointer, known);
    return known;
  }
}

/** The path as a router sees it: decoded, without host and query. */
function pathOf(target: string): string {
  const [path = ""] = target.replace(/^https?:\/\/[^/]*/i, "").split(/[?#]/);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
