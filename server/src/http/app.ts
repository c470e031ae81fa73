import { definitionOf, expandPath } from "@tunnelplane/sdk/contract";
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ApiError } from "../apiError";
import { Callers } from "../callers";
import type { Core } from "../changes";
import type { Dispatcher } from "../events/dispatcher";
import { deliveryMetrics } from "../events/metrics";
import { type Intent, requestHashOf } from "../idempotency";
import { newId } from "../ids";
import type { Page, Place } from "../objects";
import { Parts } from "../parts";
import { Resources } from "../resources";
import type { Store } from "../storage/store";
import { allOperations } from "./allOperations";
import { authenticate } from "./authentication";
import { acceptJson, objectIn } from "./bodies";
import { acceptExpectations, type ConnectionOptions, connections, refuseTwoHosts, requireAddress } from "./connections";
import { apiErrorOf } from "./errors";
import { registerMetrics } from "./metrics";
import { openapi } from "./openapi";
import type { Operation } from "./operations";
import { dryRunOf } from "./query";
import { type RateLimitOptions, RateLimits } from "./rateLimits";
import { oneLogger, RequestLog } from "./requestLog";
import type { RequestsUnderWay } from "./requestsUnderWay";

const SERVICE_VERSION = "2";
const BODY_LIMIT = 1024 * 1024;
/** As long as Node lets a request line be, so that an id of any length is answered as one that does not exist. */
const LONGEST_PATH = 16 * 1024;
const JSON_TYPE = "application/json; charset=utf-8";
const CHALLENGE = { "www-authenticate": "Bearer" };
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"];

export interface AppOptions extends ConnectionOptions {
  readonly core: Core;
  readonly dispatcher: Dispatcher;
  readonly logger: FastifyBaseLogger;
  readonly underWay: RequestsUnderWay;
  /** This server's release, for the OpenAPI document. */
  readonly version: string;
  /** The address that answers name; without it, the one the client used. */
  readonly publicUrl?: string;
  readonly rateLimit: RateLimitOptions;
  /** Proxies whose word on the client is taken, as addresses and networks with commas between. */
  readonly trustProxy?: string;
}

/** The HTTP side of the server: everything from a request to an answer. */
export function buildApp(options: AppOptions): FastifyInstance {
  const { core, dispatcher, logger, underWay, version, publicUrl } = options;
  const { store } = core;
  const operations = allOperations();
  const app: FastifyInstance = fastify({
    ...connections(options),
    loggerInstance: logger,
    bodyLimit: BODY_LIMIT,
    trustProxy: options.trustProxy,
    genReqId: (request) => requestId(request.headers["x-request-id"]),
    logController: new RequestLog(),
    childLoggerFactory: oneLogger,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: LONGEST_PATH },
    return503OnClosing: false, // that would not be an error of ours; RequestsUnderWay answers one
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
  });
  acceptExpectations(app);
  acceptJson(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    refuseTwoHosts(request.raw);
    done();
  });
  underWay.watch(app);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request) => {
    throw noRoute(request);
  });

  registerHealth(app, store);
  const description = JSON.stringify(openapi(operations, version));
  app.get("/openapi.json", async (_request, reply) => reply.type("application/json").send(description));

  const callers = new Callers(store);
  const limits = new RateLimits(options.rateLimit);
  registerMetrics(app, version, underWay, deliveryMetrics(store, dispatcher.counts), (request, reply) =>
    authenticate(callers, limits, request, reply),
  );
  app.register(async (api) => {
    underWay.limitOn(api);
    api.decorateRequest("caller");
    api.addHook("onRequest", async (request, reply) => {
      requireAddress(request);
      request.caller = await authenticate(callers, limits, request, reply);
      requireVersion(request);
      requirePlainBody(request);
    });
    const addressOf = (request: FastifyRequest) => publicUrl ?? `${request.protocol}://${request.host}`;
    for (const operation of operations) registerOperation(api, operation, { core, callers, dispatcher, addressOf });
    refuseOtherMethods(api, operations);
  });
  return app;
}

function registerHealth(app: FastifyInstance, store: Store): void {
  app.get("/livez", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    await store.reader.selectFrom("setting").select("name").limit(1).execute();
    return { status: "ok" };
  });
}

interface Serving {
  readonly core: Core;
  readonly callers: Callers;
  readonly dispatcher: Dispatcher;
  /** The address under which a client reached the server. */
  readonly addressOf: (request: FastifyRequest) => string;
}

function registerOperation(api: FastifyInstance, operation: Operation, { core, callers, dispatcher, addressOf }: Serving): void {
  const run = decidesOnCallers(operation) ? forgetting(callers, operation.run) : operation.run;
  api.route({
    method: operation.method,
    url: routePattern(operation.path),
    handler: async (request, reply) => {
      const params = request.params as Place;
      if (Object.values(params).includes("")) throw noRoute(request);
      const { caller } = request;
      const query = queryOf(request, operation.query);
      const body = operation.body ? objectIn(request.body) : undefined;
      const intent = operation.success.status === 201 ? intentOf(request, body) : undefined;
      const context = { caller, operationId: request.id, client: request.ip, dryRun: dryRunOf(query), intent };
      const outcome = await run(
        { resources: new Resources(core, context), parts: new Parts(core, context), core, caller, dispatcher },
        {
          params,
          query,
          body,
          precondition: (etag) => requireMatch(request, etag),
        },
      );
      reply.code(operation.success.status);
      if (outcome === undefined) return undefined;
      if ("etag" in outcome) {
        reply.header("etag", outcome.etag);
        if (outcome.replayed) reply.header("idempotent-replayed", "true");
        if (outcome.created && !dryRunOf(query)) reply.header("location", `${expandPath(operation.path, params)}/${outcome.created}`);
      }
      const address = addressOf(request);
      const json = "json" in outcome ? outcome.json : pageJson(operation, outcome, request, address);
      reply.header("content-type", JSON_TYPE);
      // Not `reply.send`: Fastify would wait for the reply, with listeners for its end.
      return core.documents.answer(json, address);
    },
  });
}

const CALLERS = ["api_key", "bot_user"].map((kind) => definitionOf(kind).path);

/** Whether an operation changes who may make requests. */
const decidesOnCallers = ({ method, path }: Operation): boolean => method !== "GET" && CALLERS.some((start) => path.startsWith(start));

/** The same operation; whoever made requests before is looked up again after it, also when nobody knows whether it was kept. */
const forgetting =
  (callers: Callers, run: Operation["run"]): Operation["run"] =>
  (...input) =>
    run(...input).finally(() => callers.forget());

/** A page is put together from the stored texts: they are the answer already. */
function pageJson(operation: Operation, page: Page, request: FastifyRequest, address: string): string {
  const path = expandPath(operation.path, request.params as Place);
  const next = new URLSearchParams(request.query as Record<string, string>);
  if (page.nextBefore !== null) next.set("before_id", page.nextBefore);
  const nextUri = page.nextBefore === null ? "null" : JSON.stringify(`${address}${path}?${next}`);
  const key = operation.success.list?.key;
  return `{"${key}":[${page.documents.join(",")}],"uri":${JSON.stringify(address + path)},"next_page_uri":${nextUri}}`;
}

function requireVersion(request: FastifyRequest): void {
  const version = request.headers["service-version"];
  if (version === SERVICE_VERSION) return;
  const found = version === undefined ? "is missing" : `is ${JSON.stringify(version)}`;
  throw new ApiError("unsupported_version", `The header Service-Version ${found}; this server speaks version ${SERVICE_VERSION}`);
}

function requirePlainBody(request: FastifyRequest): void {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return;
  throw new ApiError("not_json", `The body must be plain JSON; Content-Encoding ${JSON.stringify(encoding)} is not accepted`);
}

const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

/** The intent that a request names by its Idempotency-Key. */
function intentOf(request: FastifyRequest, body: unknown): Intent | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !IDEMPOTENCY_KEY.test(key)) {
    throw new ApiError("invalid_header", "Idempotency-Key must have 1 to 255 characters, ASCII without spaces; a UUID is fine");
  }
  return { ownerId: request.caller.ownerId, key, requestHash: requestHashOf(request.method, request.url, body) };
}

const ETAGS = /^(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)$/;

/** If-Match by strong comparison (RFC 9110 section 13.1.1). */
function requireMatch(request: FastifyRequest, etag: string | undefined): void {
  const wanted = request.headers["if-match"]?.trim();
  if (wanted === undefined) return;
  if (!ETAGS.test(wanted)) {
    throw new ApiError(
      "invalid_header",
      `If-Match must be "*" or ETags in their quotes, for example ${etag ?? '"1"'}; take the one that a GET answered`,
    );
  }
  if (etag === undefined)
    throw new ApiError("precondition_failed", `If-Match names ${wanted}, but nothing is configured here; leave it out to configure it`);
  if (wanted === "*" || wanted.split(",").some((candidate) => candidate.trim() === etag)) return;
  const reason = wanted.includes("W/") ? "weak ETags never match" : "somebody changed it; read it again and repeat the change";
  throw new ApiError("precondition_failed", `If-Match names ${wanted}, but the current version is ${etag}: ${reason}`);
}

function queryOf(request: FastifyRequest, accepted: readonly string[]): Record<string, string> {
  const query = request.query as Record<string, string | string[]>;
  for (const [name, value] of Object.entries(query)) {
    if (!accepted.includes(name)) {
      throw new ApiError(
        "invalid_query",
        `There is no query parameter ${JSON.stringify(name)} here; ${accepted.length ? `accepted: ${accepted.join(", ")}` : "none is accepted"}`,
        { field: name },
      );
    }
    if (Array.isArray(value)) throw new ApiError("invalid_query", `${name} is given ${value.length} times; give it once`, { field: name });
  }
  return query as Record<string, string>;
}

function refuseOtherMethods(api: FastifyInstance, operations: readonly Operation[]): void {
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const taken = operations.filter((operation) => operation.path === path).map((operation) => operation.method as string);
    const allow = taken.includes("GET") ? ["HEAD", ...taken] : taken;
    api.route({
      method: METHODS.filter((method) => !taken.includes(method)),
      url: routePattern(path),
      // Before a body is read, which is of no interest here.
      onRequest: async (request) => {
        throw new ApiError("method_not_allowed", `${request.method} is not allowed on ${path}; allowed: ${allow.join(", ")}`, {
          headers: { allow: allow.join(", ") },
        });
      },
      handler: () => undefined,
    });
  }
}

const noRoute = (request: FastifyRequest): ApiError =>
  new ApiError("no_route", `There is no ${request.url.split("?")[0]} here; /openapi.json lists every path`);

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = apiErrorOf(error);
  // What was refused on purpose is no failure, and its line in the log of requests says enough.
  if (refusal.status >= 500 && refusal !== error) request.log.error({ operation_id: request.id, err: error }, "request failed");
  reply
    .code(refusal.status)
    .headers({ "x-request-id": request.id, ...(refusal.status === 401 && CHALLENGE), ...refusal.options.headers })
    .type(JSON_TYPE)
    .send(JSON.stringify(refusal.body(request.id)));
}

/** A caller's own request id, where it is one that can be logged; else a new one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : newId("op");
}

const routePattern = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");
