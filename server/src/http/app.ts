import { definitionOf, expandPath } from "@tunnelplane/sdk/contract";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { ApiKeys } from "../auth";
import { DOCUMENT_SEPARATOR, type Page } from "../documents";
import { type Dispatcher, deliveryMetrics } from "../events";
import { DryRunConsequences } from "../exposure";
import type { EventWaits } from "../journal";
import { type ObjectPath, ResourceService, type ServerContext, Subresources } from "../resources";
import { newId, ownTurn, queryError, quoted, RequestError } from "../util";
import { Authentication } from "./authentication";
import { acceptJson, objectIn } from "./bodies";
import { requestErrorOf } from "./errors";
import { EVERY_ANSWER } from "./everyAnswer";
import { registerHealth } from "./health";
import {
  acceptExpectations,
  type ConnectionOptions,
  connections,
  refuseTwoHosts,
  requireAddress,
} from "./limits/connections";
import { Garbage } from "./limits/garbage";
import { LARGE_BODY, LargeBodies } from "./limits/largeBodies";
import { type RateLimitOptions, RateLimits } from "./limits/rateLimits";
import type { RequestsUnderWay } from "./limits/requestsUnderWay";
import { WaitingAnswers } from "./limits/waitingAnswers";
import { registerMetrics } from "./metrics";
import { describing } from "./openapi/descriptions";
import { allOperations } from "./operations";
import { type ApiOperation, isIdempotent } from "./operations/operation";
import { registerPages } from "./pages";
import { idempotentRequestOf, isKnown, requireMatch } from "./preconditions";
import { dryRunOf, findingsOf, type Query } from "./query";
import { oneLogger, RequestLog } from "./requestLog";

const SERVICE_VERSION = "2";
const MIB = 1024 * 1024;
const BODY_LIMIT = MIB;
/** The rest of a refused body that is still read, within the time that any request has. */
const MOST_UNREAD = 64 * MIB;
/** The limit of a page is 8 MiB; some of that is for the JSON around its objects. */
const PAGE_BYTES = 8 * MIB - 64 * 1024;
/**
 * A longer answer gets its own turn of the event loop, because inserting its addresses takes milliseconds.
 */
const LONG_ANSWER = MIB;
/** Node's limit for a request line, so that an overlong id is answered as not found. */
const LONGEST_PATH = 16 * 1024;
const JSON_TYPE = "application/json; charset=utf-8";
const CHALLENGE = { "www-authenticate": "Bearer" };
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"];

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether API keys of role `gateway` are taken. */
    forGateways?: boolean;
  }
}

export interface AppOptions extends ConnectionOptions {
  readonly context: ServerContext;
  readonly dispatcher: Dispatcher;
  readonly eventWaits: EventWaits;
  readonly logger: FastifyBaseLogger;
  readonly underWay: RequestsUnderWay;
  /** This server's release, for the OpenAPI document. */
  readonly version: string;
  /** The base address for answers. Default: the address that the client used. */
  readonly publicUrl?: string;
  readonly rateLimit: RateLimitOptions;
  /** Trusted proxies: addresses and networks, separated by commas. */
  readonly trustProxy?: string;
}

/** The HTTP side of the server: everything from a request to an answer. */
export function buildApp(options: AppOptions): FastifyInstance {
  const { context, dispatcher, eventWaits, logger, underWay, version, publicUrl } = options;
  const { store } = context;
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
    reply.headers(EVERY_ANSWER).header("x-request-id", request.id);
    refuseTwoHosts(request.raw);
    done();
  });
  underWay.watch(app);
  app.addHook("preClose", async () => eventWaits.close());
  const garbage = new Garbage();
  garbage.watch(app);
  const waiting = new WaitingAnswers(garbage);
  waiting.watch(app);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request) => {
    throw noRoute(request);
  });

  registerHealth(app, store);
  const described = describing({ version });
  for (const [path, reader] of [
    ["/openapi.json", "clients"],
    ["/openapi-wire.json", "wire"],
  ] as const)
    app.get(path, async (_request, reply) => reply.type("application/json").send(await described(reader)));

  registerPages(app, underWay);

  const apiKeys = new ApiKeys(store);
  const limits = new RateLimits(options.rateLimit);
  const largeBodies = new LargeBodies();
  const authentication = new Authentication(apiKeys, limits, underWay);
  const counts = { refused: () => underWay.refused, cutOff: () => waiting.cutOff };
  registerMetrics(app, version, counts, deliveryMetrics(store, dispatcher.counts), async (request, reply) => {
    const caller = await authentication.callerOf(request);
    await limits.admit(caller.keyId, request, reply);
    return caller;
  });
  app.register(async (api) => {
    underWay.limitOn(api);
    api.decorateRequest("caller");
    api.addHook("onRequest", async (request, reply) => {
      requireAddress(request);
      request.caller = await authentication.callerOf(request).catch(async (refusal: unknown) => {
        // A key that could not be looked up, because storage does not answer, is not an unknown key.
        if (refusal instanceof RequestError) await underWay.admit(request);
        throw refusal;
      });
      await limits.admit(request.caller.keyId, request, reply);
      refuseGateways(request);
      if (request.routeOptions.config.large) largeBodies.admit(request, reply);
      else
        context.validation.refuseWhileFull(
          request.caller.ownerId,
          Math.min(Number(request.headers["content-length"] ?? 0), BODY_LIMIT),
        );
      await underWay.admit(request);
      requireVersion(request);
      requirePlainBody(request);
    });
    const addressOf = (request: FastifyRequest) => publicUrl ?? `${request.protocol}://${request.host}`;
    for (const operation of operations)
      registerOperation(api, operation, { context, apiKeys, dispatcher, eventWaits, underWay, addressOf });
    refuseOtherMethods(api, operations);
  });
  return app;
}

interface Serving {
  readonly context: ServerContext;
  readonly apiKeys: ApiKeys;
  readonly dispatcher: Dispatcher;
  readonly eventWaits: EventWaits;
  readonly underWay: RequestsUnderWay;
  /** The address under which a client reached the server. */
  readonly addressOf: (request: FastifyRequest) => string;
}

function registerOperation(
  api: FastifyInstance,
  operation: ApiOperation,
  { context, apiKeys, dispatcher, eventWaits, underWay, addressOf }: Serving,
): void {
  const run = decidesOnCallers(operation) ? forgetting(apiKeys, operation.run) : operation.run;
  api.route({
    method: operation.method,
    url: routePattern(operation.path),
    config: {
      slots: slotsOf(operation),
      room: operation.room,
      forGateways: operation.forGateways,
      large: operation.isLarge,
    },
    bodyLimit: operation.isLarge ? LARGE_BODY : BODY_LIMIT,
    handler: (request, reply) => underWay.during(request, () => serve(request, reply)),
  });

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer | undefined> {
    const params = request.params as ObjectPath;
    if (Object.values(params).includes("")) throw noRoute(request);
    const { caller } = request;
    const address = addressOf(request);
    const query = queryOf(request, operation.query);
    const body = operation.isLarge ? request.body : operation.body && objectIn(request.body);
    const idempotency = isIdempotent(operation) ? idempotentRequestOf(request, body) : undefined;
    const consequences = findingsOf(query) ? new DryRunConsequences(context, caller) : undefined;
    const { onDryRun } = consequences ?? {};
    const change = {
      caller,
      operationId: request.id,
      client: request.ip,
      dryRun: dryRunOf(query),
      idempotency,
      onDryRun,
    };
    const outcome = await run(
      {
        resources: new ResourceService(context, change),
        parts: new Subresources(context, change),
        context,
        caller,
        change,
        dispatcher,
        eventWaits,
        pageBytes: context.documents.roomFor(PAGE_BYTES, address),
      },
      {
        params,
        query,
        body,
        precondition: (etag) => requireMatch(request, etag),
        gone: () => untilGone(reply),
      },
    );
    reply.code(consequences && outcome === undefined ? 200 : operation.success.status);
    if (outcome === undefined && !consequences) return undefined;
    if (outcome && "etag" in outcome) {
      reply.header("etag", outcome.etag);
      if (operation.method === "GET" && isKnown(request, outcome.etag)) {
        reply.code(304);
        return undefined;
      }
      if (outcome.created && !dryRunOf(query))
        reply.header("location", `${address}${expandPath(operation.path, params)}/${outcome.created}`);
    }
    if (outcome && "replayed" in outcome && outcome.replayed) reply.header("idempotent-replayed", "true");
    const plain = !outcome
      ? "{}"
      : "json" in outcome
        ? outcome.json
        : pageJson(operation, outcome, request, address);
    const json = consequences ? await consequences.addTo(plain) : plain;
    reply.header("content-type", JSON_TYPE);
    // Not `reply.send`: Fastify would wait for the reply, with listeners for its end.
    if (json.length <= LONG_ANSWER) return context.documents.answer(json, address);
    await ownTurn();
    // A buffer lies outside of the heap. While the answer waits to be read, it is held once, and its source
    // can be freed.
    return Buffer.from(context.documents.answer(json, address));
  }
}

const CALLERS = (["api_key", "bot_user"] as const).map((kind) => definitionOf(kind).path);

/**
 * Which slots an operation's requests take. API keys have their own, so that an admin can always list and
 * delete them.
 */
function slotsOf({
  waits,
  method,
  path,
}: ApiOperation): (request: FastifyRequest) => "keys" | "waits" | undefined {
  const keys = definitionOf("api_key").path;
  const isKeys = (method === "GET" && path === keys) || (method === "DELETE" && path.startsWith(keys));
  return (request) => (waits?.(request.query as Query) ? "waits" : isKeys ? "keys" : undefined);
}

/**
 * The key of a gateway lies on machines that face the world: it does what a gateway has to, and nothing else.
 */
function refuseGateways({ caller, routeOptions, method }: FastifyRequest): void {
  if (caller.role !== "gateway" || routeOptions.config.forGateways) return;
  throw new RequestError(
    "forbidden",
    `The API key of a gateway may not ${method} ${routeOptions.url}: it reads what a gateway enforces, asks who may bind, and reports. Use the key of a member or an admin`,
  );
}

/** Aborts when an answer was sent, or nobody waits for it any more. */
function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}

/** Whether an operation changes API keys or bots. */
const decidesOnCallers = ({ method, path }: ApiOperation): boolean =>
  method !== "GET" && CALLERS.some((start) => path.startsWith(start));

/**
 * The same operation, but afterwards all callers are looked up again, even if it failed: its commit may be in
 * doubt.
 */
const forgetting =
  (apiKeys: ApiKeys, run: ApiOperation["run"]): ApiOperation["run"] =>
  (...input) =>
    run(...input).finally(() => apiKeys.forget());

/** Joins the stored texts to a page, without parsing them. */
function pageJson(operation: ApiOperation, page: Page, request: FastifyRequest, address: string): string {
  const path = expandPath(operation.path, request.params as ObjectPath);
  const next = new URLSearchParams(request.query as Record<string, string>);
  if (page.nextBefore !== null) next.set(page.cursor ?? "before_id", page.nextBefore);
  const nextUri = page.nextBefore === null ? "null" : JSON.stringify(`${address}${path}?${next}`);
  const key = operation.success.list?.key;
  return `{"${key}":[${page.documents.join(DOCUMENT_SEPARATOR)}],"uri":${JSON.stringify(address + path)},"next_page_uri":${nextUri}}`;
}

function requireVersion(request: FastifyRequest): void {
  const version = request.headers["service-version"];
  if (version === SERVICE_VERSION) return;
  const found = version === undefined ? "is missing" : `is ${quoted(String(version))}`;
  throw new RequestError(
    "unsupported_version",
    `The header Service-Version ${found}; this server speaks version ${SERVICE_VERSION}`,
  );
}

function requirePlainBody(request: FastifyRequest): void {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return;
  throw new RequestError(
    "not_json",
    `The body must be plain JSON; Content-Encoding ${quoted(encoding)} is not accepted`,
  );
}

function queryOf(request: FastifyRequest, accepted: readonly string[]): Record<string, string> {
  const query = request.query as Record<string, string | string[]>;
  for (const [name, value] of Object.entries(query)) {
    if (!accepted.includes(name)) {
      throw new RequestError(
        "invalid_query",
        `There is no query parameter ${quoted(name)} here; ${accepted.length ? `accepted: ${accepted.join(", ")}` : "none is accepted"}`,
        { field: name },
      );
    }
    if (Array.isArray(value)) throw queryError(name, `${name} is given ${value.length} times; give it once`);
  }
  return query as Record<string, string>;
}

function refuseOtherMethods(api: FastifyInstance, operations: readonly ApiOperation[]): void {
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const taken: string[] = operations
      .filter((operation) => operation.path === path)
      .map((operation) => operation.method);
    const allow = taken.includes("GET") ? ["HEAD", ...taken] : taken;
    api.route({
      method: METHODS.filter((method) => !taken.includes(method)),
      url: routePattern(path),
      // In onRequest, before Fastify reads the body.
      onRequest: async (request) => {
        throw new RequestError(
          "method_not_allowed",
          `${request.method} is not allowed on ${path}; allowed: ${allow.join(", ")}`,
          { headers: { allow: allow.join(", ") } },
        );
      },
      handler: () => undefined,
    });
  }
}

const noRoute = (request: FastifyRequest): RequestError =>
  new RequestError(
    "no_route",
    `There is no ${request.url.split("?")[0]} here; /openapi.json lists every path, /docs explains them, and /console shows what the server holds`,
  );

/** Also where no hook has run, because the path cannot be decoded. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = requestErrorOf(error);
  // A refusal is no failure; the request log's line is enough.
  if (refusal.status >= 500 && refusal !== error)
    request.log.error({ operation_id: request.id, err: error }, "request failed");
  // Fastify would hang up, and a client that still sends would never see the answer. What it sends is thrown
  // away.
  if (refusal.status === 413 && Number(request.headers["content-length"]) <= MOST_UNREAD)
    reply.removeHeader("connection");
  reply
    .code(refusal.status)
    .headers({
      ...EVERY_ANSWER,
      "x-request-id": request.id,
      ...(refusal.status === 401 && CHALLENGE),
      ...refusal.options.headers,
    })
    .type(JSON_TYPE)
    .send(JSON.stringify(refusal.body(request.id)));
}

/** The client's own request id if it is safe to log; otherwise a new one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : newId("op");
}

const routePattern = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");
