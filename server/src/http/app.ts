import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { ApiKeys, holderOf, type KeyUses, refuseUnlessMay } from "../auth";
import { type Dispatcher, deliveryMetrics } from "../events";
import { openExchange, openSignIn, type SignInSettings } from "../identities";
import type { EventWaits } from "../journal";
import type { Siblings } from "../process";
import type { ServerContext } from "../resources";
import { newId, quoted, RequestError } from "../util";
import { Authentication } from "./authentication";
import { acceptJson, BODY_LIMIT, JSON_TYPE } from "./bodies";
import { DEFAULT_HEADERS } from "./defaultHeaders";
import { loggedErrorOf, noRoute } from "./errors";
import { Gate } from "./gate";
import { registerHealth } from "./health";
import {
  acceptExpectations,
  type ConnectionOptions,
  connections,
  refuseTwoHosts,
} from "./limits/connections";
import { Garbage } from "./limits/garbage";
import { LargeBodies } from "./limits/largeBodies";
import { type RateLimitOptions, RateLimits } from "./limits/rateLimits";
import type { RequestsInFlight } from "./limits/requestsInFlight";
import { WaitingAnswers } from "./limits/waitingAnswers";
import { registerMetrics } from "./metrics";
import { type DescriberData, describing } from "./openapi/descriptions";
import { permissionFor } from "./operations/operation";
import { originOf } from "./origin";
import { registerPages } from "./pages";
import type { Query } from "./query";
import { oneLogger, RequestLog } from "./requestLog";
import { registerOperations, type Serving } from "./serving";
import { Cookies } from "./signin/cookies";
import { registerLogin } from "./signin/login";
import { registerSignIn } from "./signin/routes";
import { registerTokenExchange } from "./tokenExchange";
import { traceRequests } from "./tracing";

const SERVICE_VERSION = "2";
const MIB = 1024 * 1024;
/** The rest of a refused body that is still read, within the time that any request has. */
const MAX_UNREAD = 64 * MIB;
/** Node's limit for a request line, so that an overlong id is answered as not found. */
const MAX_PATH_LENGTH = 16 * 1024;
const CHALLENGE = { "www-authenticate": "Bearer" };

/** No route has a schema of Fastify's. Loading its compilers would take a tenth of a server's start. */
const NO_COMPILERS = { buildValidator: unused, buildSerializer: unused };
function unused(): never {
  throw new Error("No route may have a schema for Fastify; operations check their bodies themselves");
}

export interface AppOptions extends ConnectionOptions {
  readonly context: ServerContext;
  readonly keyUses: KeyUses;
  readonly dispatcher: Dispatcher;
  readonly eventWaits: EventWaits;
  readonly siblings: Siblings;
  readonly logger: FastifyBaseLogger;
  readonly inFlight: RequestsInFlight;
  /** This server's release, for the OpenAPI document. */
  readonly version: string;
  /** The base address for answers. Default: the address that the client used. */
  readonly publicUrl?: string;
  readonly rateLimit: RateLimitOptions;
  /** Trusted proxies: addresses and networks, separated by commas. */
  readonly trustProxy?: string;
  /** Where people sign in. Default: nowhere. */
  readonly signIn?: SignInSettings;
  /** Whether issuers of identity tokens may be in private networks, as event targets may. */
  readonly allowPrivateTargets?: boolean;
}

/** The HTTP side of the server: everything from a request to an answer. */
export function buildApp(options: AppOptions): FastifyInstance {
  const { context, keyUses, dispatcher, eventWaits, siblings, logger, inFlight, version, publicUrl, signIn } =
    options;
  const app = newApp(options);
  const waiting = watch(app, options);
  const apiKeys = new ApiKeys(context.store, keyUses, siblings);
  const limits = new RateLimits(options.rateLimit, siblings);
  const addressOf = (request: FastifyRequest) => publicUrl ?? `${request.protocol}://${request.host}`;
  const cookies = new Cookies(addressOf);
  const authentication = new Authentication(apiKeys, limits, inFlight, cookies);
  const gate = new Gate({ apiKeys, authentication, limits, inFlight });
  const forPeople = { context, apiKeys, authentication, cookies, gate, limits, addressOf };
  const counts = {
    refused: () => inFlight.refused,
    cutOff: () => waiting.cutOff,
    restrictions: () => apiKeys.restrictions.counts(),
  };
  const plugins: Readonly<Record<string, () => void>> = {
    health: () => registerHealth(app, context.store),
    openapi: () =>
      registerDescriptions(app, { version, basePath: new URL(publicUrl ?? "http://server").pathname }),
    pages: () => registerPages(app, gate),
    metrics: () =>
      registerMetrics(
        app,
        version,
        siblings,
        counts,
        deliveryMetrics(context.store, dispatcher.counts),
        gate,
      ),
    token: () =>
      registerTokenExchange(app, {
        limits,
        gate,
        open: () =>
          openExchange(context, { allowPrivate: options.allowPrivateTargets === true, publicUrl, logger }),
      }),
    signIn: () =>
      registerSignIn(app, { ...forPeople, open: signIn && (() => openSignIn(context, signIn, logger)) }),
    login: () => registerLogin(app, forPeople, signIn !== undefined),
    api: () =>
      registerApi(app, {
        ...{ context, apiKeys, keyUses, dispatcher, eventWaits, inFlight, addressOf },
        ...{ authentication, gate },
      }),
  };
  for (const register of Object.values(plugins)) register();
  return app;
}

function newApp(options: AppOptions): FastifyInstance {
  const app: FastifyInstance = fastify({
    ...connections(options),
    loggerInstance: options.logger,
    bodyLimit: BODY_LIMIT,
    trustProxy: options.trustProxy,
    genReqId: (request) => requestId(request.headers["x-request-id"]),
    logController: new RequestLog(),
    childLoggerFactory: oneLogger,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: MAX_PATH_LENGTH },
    return503OnClosing: false, // that would not be an error of ours; RequestsInFlight answers one
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
    schemaController: { compilersFactory: NO_COMPILERS },
  });
  app.decorateRequest("caller");
  return app;
}

/** What happens with every request, whatever its route. */
function watch(app: FastifyInstance, { inFlight, eventWaits }: AppOptions): WaitingAnswers {
  traceRequests(app);
  acceptExpectations(app);
  acceptJson(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(DEFAULT_HEADERS).header("x-request-id", request.id);
    refuseTwoHosts(request.raw);
    done();
  });
  inFlight.watch(app);
  app.addHook("preClose", async () => eventWaits.close());
  const garbage = new Garbage();
  garbage.watch(app);
  const waiting = new WaitingAnswers(garbage);
  waiting.watch(app);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request) => {
    throw noRoute(request);
  });
  return waiting;
}

function registerDescriptions(app: FastifyInstance, order: DescriberData): void {
  const described = describing(order);
  for (const [path, reader] of [
    ["/openapi.json", "clients"],
    ["/openapi-wire.json", "wire"],
  ] as const)
    app.get(path, async (request, reply) => (await described(reader)).answer(request, reply));
}

interface Api extends Omit<Serving, "lookAgain"> {
  readonly authentication: Authentication;
  readonly gate: Gate;
}

/** The operations of the API. */
function registerApi(app: FastifyInstance, { authentication, gate, ...serving }: Api): void {
  const largeBodies = new LargeBodies();
  const { bodies } = serving.context.compute;
  app.register(async (api) => {
    gate.guard(api, {
      isOfAccount,
      refuse: (request, reply) => {
        refuseWithoutRight(request);
        if (request.routeOptions.config.large) largeBodies.admit(request, reply);
        else
          bodies.refuseWhileFull(
            holderOf(request.caller),
            Math.min(Number(request.headers["content-length"] ?? 0), BODY_LIMIT),
          );
      },
      look: (request) => {
        requireVersion(request);
        requirePlainBody(request);
      },
    });
    registerOperations(api, {
      ...serving,
      lookAgain: async (request) => {
        const now = await authentication.callerOf(request, isOfAccount(request), true);
        await serving.apiKeys.restrictions.refuseCaller(now, originOf(request));
        refuseWithoutRight(request, now);
        if (rightsOf(now) !== rightsOf(request.caller))
          throw new RequestError("forbidden", "Your rights changed while this request waited; repeat it");
      },
    });
  });
}

/** What decides how much a caller is told. */
const rightsOf = ({
  ownerId,
  role,
  accountRole,
  project,
  keyProject,
  scopes,
}: FastifyRequest["caller"]): string =>
  JSON.stringify([ownerId, role, accountRole, project, keyProject, scopes]);

/** Whether a request is about no project: about the caller, or a project itself. */
function isOfAccount({ routeOptions }: FastifyRequest): boolean {
  const subject = routeOptions.config.operation?.subject;
  return subject === "caller" || (typeof subject === "object" && subject.access === "account");
}

/** Refuses what the caller's role and scopes do not allow, before anything is read. */
function refuseWithoutRight(
  { routeOptions, query, caller: first }: FastifyRequest,
  caller: FastifyRequest["caller"] = first,
): void {
  const { operation } = routeOptions.config;
  if (operation) refuseUnlessMay(caller, permissionFor(operation, query as Query), operation.subject);
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

/** Also where no hook has run, because the path cannot be decoded. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = loggedErrorOf(error, request);
  // Fastify would hang up, and a client that still sends would never see the answer. Its bytes are thrown
  // away.
  if (refusal.status === 413 && Number(request.headers["content-length"]) <= MAX_UNREAD)
    reply.removeHeader("connection");
  reply
    .code(refusal.status)
    .headers({
      ...DEFAULT_HEADERS,
      "x-request-id": request.id,
      ...(refusal.status === 401 && CHALLENGE),
      ...refusal.options.headers,
    })
    .type(JSON_TYPE)
    .send(JSON.stringify(refusal.body(request.id)));
}

/** The client's own request id if it is safe to log, or a new one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : newId("op");
}
