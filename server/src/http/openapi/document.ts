import { ERRORS, NAME_HEADER, own, PROJECT_HEADER, present } from "@tunnelplane/sdk/contract";
import { dryRunShape } from "@tunnelplane/sdk/operations";
import { type DescribedOperation, isCacheable, isIdempotent } from "../operations/operation";
import { codeSamples } from "./codeSamples";
import type { DescriberData } from "./descriptions";
import { exampleOf, listExample } from "./examples";
import { descriptionOf, parametersInPath } from "./operationText";
import { HEADERS, limitOf, PARAMETERS, removeOf } from "./parameters";
import { errorShape, type Json, type Reader, Schemas } from "./schemas";

/** The OpenAPI 3.1 document of the operations, as its readers need it. */
export const openapi = (
  operations: readonly DescribedOperation[],
  { version, basePath }: DescriberData,
  reader: Reader,
): Json => new OpenApi(reader).of(operations, version, basePath);

class OpenApi {
  readonly #schemas: Schemas;

  constructor(private readonly reader: Reader) {
    this.#schemas = new Schemas(reader);
  }

  of(operations: readonly DescribedOperation[], version: string, basePath: string): Json {
    const paths: Record<string, Json> = {};
    for (const operation of operations) {
      paths[operation.path] = {
        ...own(paths, operation.path),
        [operation.method.toLowerCase()]: this.#describe(operation),
      };
    }
    const shared = new Set(
      operations.flatMap((operation) => parametersOf(operation).filter((name) => isShared(operation, name))),
    );
    const error = this.#schemas.of(errorShape);
    const tags = new Map(operations.map(({ tag }) => [tag.name, tag]));
    return {
      openapi: "3.1.0",
      info: {
        title: "tunnelplane",
        version,
        description: INTRODUCTION[this.reader],
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: basePath, description: "The server that this document comes from." }],
      security: [{ apiKey: [] }],
      tags: [...tags.values()].map(({ title, ...tag }) => ({
        ...tag,
        ...(title && { "x-displayName": title }),
      })),
      paths,
      components: {
        schemas: this.#schemas.all,
        securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "An API key." } },
        parameters: Object.fromEntries(Object.entries(PARAMETERS).filter(([name]) => shared.has(name))),
        headers: HEADERS,
        ...(this.reader === "clients" && { responses: errorComponents(operations, error) }),
      },
    };
  }

  #describe(operation: DescribedOperation): Json {
    const { success, body } = operation;
    return {
      operationId: operation.id,
      summary: operation.summary,
      description: descriptionOf(operation),
      tags: [operation.tag.name],
      ...(operation.isOpen && { security: [] }),
      parameters: [
        ...parametersInPath(operation),
        ...parametersOf(operation).map((name) => parameterOf(operation, name)),
      ],
      ...(body && {
        requestBody: {
          required: !operation.takesNoFields,
          content: this.#content(this.#schemas.of(body), () => exampleOf(body), operation),
        },
      }),
      responses: {
        [success.status]: {
          description: operation.summary,
          ...(success.answer && {
            content: this.#content(this.#withFindings(operation, this.#answerOf(success)), () =>
              answerExample(operation),
            ),
          }),
          ...(success.answer && !success.list && !isReport(operation) && { headers: headersOf(operation) }),
          ...(operation.isLarge && {
            headers: { "Idempotent-Replayed": { $ref: "#/components/headers/Idempotent-Replayed" } },
          }),
        },
        ...(tellsFindings(operation) &&
          !success.answer && {
            200: {
              description: "What the change would mean, with `findings=true`.",
              content: this.#content(this.#schemas.of(dryRunShape), () => exampleOf(dryRunShape)),
            },
          }),
        ...(isCacheable(operation) && {
          304: {
            description: "The client has this version: If-None-Match names it.",
            headers: headersOf(operation),
          },
        }),
        ...this.#errorsOf(operation),
      },
      ...(this.reader === "clients" && {
        ...(changesNothing(operation) && { "x-read-only": true }),
        "x-codeSamples": codeSamples(operation),
      }),
    };
  }

  /** Examples are for people and clients; the other document is for programs that make up their own. */
  #content(schema: Json, example: () => unknown, { isForm }: Pick<DescribedOperation, "isForm"> = {}): Json {
    const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
    return { [type]: { schema, ...(this.reader === "clients" && { example: example() }) } };
  }

  #answerOf({ answer, list }: DescribedOperation["success"]): Json {
    const one = this.#schemas.of(present(answer));
    if (!list) return one;
    const page = {
      type: "object",
      required: [list.key, "uri", "next_page_uri"],
      properties: {
        [list.key]: { type: "array", items: one },
        uri: { type: "string", format: "uri", description: "Address of the list." },
        next_page_uri: {
          type: ["string", "null"],
          format: "uri",
          description: "Address of the next page; null on the last one.",
        },
      },
    };
    return this.reader === "clients" ? this.#schemas.add(`${present(answer).name}List`, page) : page;
  }

  /** A dry run with findings answers the same, with the findings in it. */
  #withFindings(operation: DescribedOperation, answer: Json): Json {
    if (this.reader === "clients" || !tellsFindings(operation)) return answer;
    return { anyOf: [answer, this.#schemas.of(dryRunShape)] };
  }

  #errorsOf(operation: DescribedOperation): Json {
    return Object.fromEntries(
      errorStatuses(operation).map((status) => [
        status,
        this.reader === "clients"
          ? { $ref: `#/components/responses/Error${status}` }
          : errorResponse(status, this.#schemas.of(errorShape)),
      ]),
    );
  }
}

const INTRODUCTION: Readonly<Record<Reader, string>> = {
  clients: `Manages tunnel credentials, edges, certificate authorities and what belongs to them.

Every request carries \`Authorization: Bearer <API key>\` and \`Service-Version: 2\`; bodies are JSON in UTF-8. Lists are answered
newest first, at most 100 objects at once; \`next_page_uri\` leads to the next page. \`Tunnelplane-Project\` names the project
that a request is about, where the key's owner has a role in several. An error has a number that stays the same
(\`error_code\`), and says what is wrong, where, and what to do. A refused request changes nothing.`,
  wire: "Manages tunnel credentials, edges, certificate authorities and what belongs to them. This document describes everything that the server accepts, including values that only older clients send; make clients from /openapi.json.",
};

const headersOf = ({ success }: DescribedOperation): Json =>
  Object.fromEntries(
    ["ETag", ...(success.status === 201 ? ["Location", "Idempotent-Replayed"] : [])].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );

/** The headers and query parameters of an operation. */
function parametersOf(operation: DescribedOperation): string[] {
  const changes = operation.method !== "GET" && operation.method !== "POST";
  const preconditions = changes ? ["If-Match"] : isCacheable(operation) ? ["If-None-Match"] : [];
  return [
    ...(operation.isOpen ? [] : ["Service-Version", PROJECT_HEADER]),
    ...preconditions,
    ...(isIdempotent(operation) ? ["Idempotency-Key"] : []),
    ...(operation.success.status === 201 ? ["Idempotency-Key-After"] : []),
    ...(operation.takesName ? [NAME_HEADER] : []),
    ...(operation.query ?? []),
  ];
}

function parameterOf(operation: DescribedOperation, name: string): Json {
  const { usualLimit } = operation;
  if (isShared(operation, name)) return { $ref: `#/components/parameters/${name}` };
  if (name === "limit" && usualLimit !== undefined) return limitOf(usualLimit);
  if (name === "remove") return removeOf(operation.removable ?? []);
  return { ...own(PARAMETERS, name), required: true };
}

/** Whether an operation has a parameter as most do, so that it refers to the common description. */
const isShared = ({ required, usualLimit }: DescribedOperation, name: string): boolean =>
  !required?.some((one) => one === name) &&
  name !== "remove" &&
  !(name === "limit" && usualLimit !== undefined);

/** A POST that creates nothing answers a report, which has no version. */
const isReport = ({ method, success }: DescribedOperation): boolean =>
  method === "POST" && success.status === 200;

/** Whether it only asks, although its method could change something. */
const changesNothing = ({ method, permission }: DescribedOperation): boolean =>
  method !== "GET" && permission === "read";

const tellsFindings = ({ query = [] }: DescribedOperation): boolean => query.includes("findings");

function answerExample({ path, success: { answer, list } }: DescribedOperation): unknown {
  const one = exampleOf(present(answer));
  return list ? listExample(list.key, path, one) : one;
}

/** Which errors an operation may answer. */
function errorStatuses(operation: DescribedOperation): number[] {
  const statuses = [400, 401, 403, 429, 500, 503];
  if (!operation.isOpen || operation.isOfSignIn) statuses.push(404);
  if (operation.method !== "GET" && !operation.isOpen) statuses.push(409);
  if (operation.method !== "GET" && operation.method !== "POST") statuses.push(412);
  if (operation.body) statuses.push(408, 413, 415);
  if (isIdempotent(operation)) statuses.push(422);
  if (operation.isLarge) statuses.push(412);
  return statuses.sort();
}

/** The answers of a status, from the one table of errors. */
function errorResponse(status: number, schema: Json, example?: Json): Json {
  const description = kindsOf(status)
    .map(({ code, when }) => `${code}: ${when}`)
    .join("\n\n");
  const headers =
    status === 429 || status === 503
      ? { "Retry-After": { $ref: "#/components/headers/Retry-After" } }
      : undefined;
  return {
    description,
    ...(headers && { headers }),
    content: { "application/json": { schema, ...(example && { example }) } },
  };
}

const kindsOf = (status: number) => Object.values(ERRORS).filter((kind) => kind.status === status);

function errorComponents(operations: readonly DescribedOperation[], schema: Json): Json {
  const statuses = [...new Set(operations.flatMap(errorStatuses))].sort();
  return Object.fromEntries(
    statuses.map((status) => {
      const [kind] = kindsOf(status);
      const example = {
        error_code: kind?.code,
        status_code: status,
        msg: `${kind?.when}; …`,
        details: { operation_id: "op_…" },
      };
      return [`Error${status}`, errorResponse(status, schema, example)];
    }),
  );
}
