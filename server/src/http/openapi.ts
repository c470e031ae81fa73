import { ERRORS, isOptional, marksOf, refSchema } from "@tunnelplane/sdk/contract";
import { z } from "zod";
import { dryRunShape } from "./operations/exposure";
import { isIdempotent, type Operation, type Shape } from "./operations/operation";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the operations. */
export function openapi(operations: readonly Operation[], version: string): Json {
  const components = new Map<string, Json>();
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation, components) };
  }
  components.set("Error", errorSchema());
  const tags = new Map(operations.map(({ tag }) => [tag.name, tag]));
  return {
    openapi: "3.1.0",
    info: {
      title: "tunnelplane",
      version,
      description: "Manages tunnel credentials, edges, certificate authorities and what belongs to them.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }],
    tags: [...tags.values()],
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "An API key." } },
      parameters: PARAMETERS,
      headers: HEADERS,
    },
  };
}

const PARAMETERS: Json = {
  "Service-Version": { name: "Service-Version", in: "header", required: true, schema: { type: "string", const: "2" } },
  "If-Match": { name: "If-Match", in: "header", description: "Go on only if this is the current ETag.", schema: { type: "string" } },
  limit: {
    name: "limit",
    in: "query",
    description: "Largest number of objects in the page. A page holds at most 8 MiB, so it may have fewer; `next_page_uri` continues.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 100 },
  },
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes the request idempotent: for 24 hours, the same request with the same key gets its first answer and changes nothing.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
  dry_run: {
    name: "dry_run",
    in: "query",
    description: "`true` for a dry run: the server checks everything and answers as usual, but keeps nothing.",
    schema: { type: "boolean", default: false },
  },
  findings: {
    name: "findings",
    in: "query",
    description:
      "Whether a dry run also answers the effects of the change on callers: `findings`, and `finding_limits` if something was not examined.",
    schema: { type: "boolean", default: false },
  },
  address: {
    name: "address",
    in: "query",
    description: "Only this address, for example `app.example.com:443/admin`, or all that is served at this hostport.",
    schema: { type: "string" },
  },
  after_address: { name: "after_address", in: "query", description: "Only what comes after this address.", schema: { type: "string" } },
  type: { name: "type", in: "query", description: "Only events of this type.", schema: { type: "string" } },
  object_id: { name: "object_id", in: "query", description: "Only events of this object.", schema: { type: "string" } },
  status: {
    name: "status",
    in: "query",
    description: "Only deliveries of this status.",
    schema: { enum: ["pending", "delivered", "dead"] },
  },
  after_id: {
    name: "after_id",
    in: "query",
    description:
      "Only events that came later than this one, oldest first, each with its `sequence`. An event that was removed, or after which others were removed, is refused (400).",
    schema: { type: "string" },
  },
  after_name: {
    name: "after_name",
    in: "query",
    description: "Only gateways whose names come after this one.",
    schema: { type: "string" },
  },
  wait: {
    name: "wait",
    in: "query",
    description:
      "Oldest first; if there is nothing after `after_id`, waits so many seconds for it (a long poll), and answers an empty list when the time is over or the server stops.",
    schema: { type: "integer", minimum: 0, maximum: 30 },
  },
  before_id: { name: "before_id", in: "query", description: "Only objects older than this one.", schema: { type: "string" } },
};

const HEADERS: Json = {
  "Idempotent-Replayed": {
    description: "`true` if this is the first answer to an idempotent request, sent again.",
    schema: { type: "string", const: "true" },
  },
  ETag: { description: "The version of the answered object, for If-Match.", schema: { type: "string" } },
  "Retry-After": { description: "Try again after this many seconds; nothing was changed.", schema: { type: "integer", minimum: 1 } },
  Location: { description: "Path of the new object.", schema: { type: "string" } },
};

const headersOf = ({ success }: Operation): Json =>
  Object.fromEntries(
    ["ETag", ...(success.status === 201 ? ["Location", "Idempotent-Replayed"] : [])].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );

function describe(operation: Operation, components: Map<string, Json>): Json {
  const { success, body } = operation;
  const changes = operation.method !== "GET" && operation.method !== "POST";
  const headers = ["Service-Version", ...(changes ? ["If-Match"] : []), ...(isIdempotent(operation) ? ["Idempotency-Key"] : [])];
  const parameters = [...headers, ...operation.query];
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.tag.name],
    parameters: [
      ...[...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: "path", required: true, schema: { type: "string" } })),
      ...parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body && { requestBody: { required: true, content: json(component(body, components)) } }),
    responses: {
      [success.status]: {
        description: operation.summary,
        ...(success.answer && { content: json(withFindings(operation, answerOf(operation, components), components)) }),
        ...(success.answer && !success.list && !isReport(operation) && { headers: headersOf(operation) }),
        ...(operation.isLarge && { headers: { "Idempotent-Replayed": { $ref: "#/components/headers/Idempotent-Replayed" } } }),
      },
      ...(tellsFindings(operation) &&
        !success.answer && {
          200: { description: "What the change would mean, with `findings=true`.", content: json(component(dryRunShape, components)) },
        }),
      ...errorResponses(operation),
    },
  };
}

/** A POST that creates nothing answers a report, which has no version. */
const isReport = ({ method, success }: Operation): boolean => method === "POST" && success.status === 200;

const tellsFindings = ({ query }: Operation): boolean => query.includes("findings");

/** A dry run that tells findings answers the same with them in it. */
const withFindings = (operation: Operation, answer: Json, components: Map<string, Json>): Json =>
  tellsFindings(operation) ? { anyOf: [answer, component(dryRunShape, components)] } : answer;

function answerOf({ success }: Operation, components: Map<string, Json>): Json {
  const one = component(success.answer as Shape, components);
  if (!success.list) return one;
  return {
    type: "object",
    required: [success.list.key, "uri", "next_page_uri"],
    properties: {
      [success.list.key]: { type: "array", items: one },
      uri: { type: "string", format: "uri" },
      next_page_uri: { type: ["string", "null"], format: "uri", description: "Address of the next page; null on the last one." },
    },
  };
}

/** Which errors an operation may answer, from the one table. */
function errorResponses(operation: Operation): Json {
  const statuses = [400, 401, 403, 429, 500, 503];
  if (operation.path.includes("{")) statuses.push(404);
  if (operation.method !== "GET") statuses.push(409);
  if (operation.method !== "GET" && operation.method !== "POST") statuses.push(412);
  if (operation.body) statuses.push(408, 413, 415);
  if (isIdempotent(operation)) statuses.push(422);
  if (operation.isLarge) statuses.push(412);
  return Object.fromEntries(
    statuses.sort().map((status) => {
      const kinds = Object.values(ERRORS).filter((kind) => kind.status === status);
      const description = kinds.map(({ code, when }) => `${code}: ${when}`).join("\n\n");
      const headers = status === 429 || status === 503 ? { "Retry-After": { $ref: "#/components/headers/Retry-After" } } : undefined;
      return [status, { description, headers, content: json({ $ref: "#/components/schemas/Error" }) }];
    }),
  );
}

const json = (schema: Json): Json => ({ "application/json": { schema } });

function component(shape: Shape, components: Map<string, Json>): Json {
  if (!components.has(shape.name)) components.set(shape.name, jsonSchema(shape));
  return { $ref: `#/components/schemas/${shape.name}` };
}

/** Answers have none of these limits, because objects that were stored before a limit existed are answered as they are. */
const LIMITS_OF_WHAT_IS_SENT = ["minLength", "maxLength", "minItems", "maxItems", "maxProperties"] as const;

function jsonSchema({ name, schema, io }: Shape): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema, zodSchema }) => {
      // zod's pattern for date-times is a page long; the format says the same.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (zodSchema === refSchema) jsonSchema.title = "Ref";
      if (io === "output") for (const limit of LIMITS_OF_WHAT_IS_SENT) delete jsonSchema[limit];
      if (io === "input" && zodSchema instanceof z.ZodObject) {
        const isUpdate = zodSchema === schema && name.endsWith("Update");
        acceptLeftOut(zodSchema.shape, jsonSchema.properties as Record<string, Json>, isUpdate);
      }
    },
  });
  return rest;
}

/** Older clients send some values for "left out": lets optional fields accept them. */
function acceptLeftOut(shape: Readonly<Record<string, z.ZodType>>, properties: Record<string, Json>, isUpdate: boolean): void {
  for (const [name, field] of Object.entries(shape)) {
    if (!isOptional(field) || !properties[name]) continue;
    const { description, default: fallback, ...schema } = properties[name];
    // In an update, "" and 0 are values if the field allows them.
    const zeros = marksOf(field).module ? [] : ["", 0].filter((zero) => !isUpdate || !field.safeParse(zero).success);
    const leftOut = zeros.length > 0 ? { enum: [null, ...zeros] } : { type: "null" };
    properties[name] = { description, default: fallback, anyOf: [schema, { ...leftOut, title: "left out" }] };
  }
}

function errorSchema(): Json {
  return jsonSchema({
    name: "Error",
    io: "output",
    schema: z.object({
      error_code: z.string().meta({ description: "Stable number of the error.", examples: [ERRORS.invalid_field.code] }),
      status_code: z.int().meta({ description: "The HTTP status." }),
      msg: z.string().meta({ description: "What is wrong, what was expected and what to do." }),
      details: z.record(z.string(), z.string()).meta({ description: "`operation_id`, and `field` if one field is wrong." }),
      faults: z
        .array(z.object({ key: z.string(), field: z.string(), error_code: z.string(), msg: z.string() }))
        .optional()
        .meta({ description: "Of a change set: what is wrong with its objects, at most 1,000 faults; `key` is `<kind>/<key>`." }),
      fault_count: z.int().optional().meta({ description: "Of a change set: how many faults there are." }),
    }),
  });
}
