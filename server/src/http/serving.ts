import { definitionOf, expandPath } from "@tunnelplane/sdk/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ApiKeys, type Caller, type KeyUses, RESTRICTING, refuseUnlessMay } from "../auth";
import { DOCUMENT_SEPARATOR, type Page } from "../documents";
import type { Dispatcher } from "../events";
import { DryRunConsequences } from "../exposure";
import type { EventWaits } from "../journal";
import { type ObjectPath, ResourceService, type ServerContext, Subresources } from "../resources";
import { ownTurn, queryError, quoted, RequestError } from "../util";
import { BODY_LIMIT, JSON_TYPE, objectIn } from "./bodies";
import { noRoute } from "./errors";
import { LARGE_BODY } from "./limits/largeBodies";
import type { RequestsInFlight, SlotKind } from "./limits/requestsInFlight";
import { nameIn } from "./nameHeader";
import { allOperations } from "./operations";
import { type ApiOperation, isCacheable, isIdempotent, type Outcome } from "./operations/operation";
import { callerAddress, isForwarded } from "./origin";
import { idempotentRequestOf, isKnown, requireMatch } from "./preconditions";
import { asksForNames, dryRunOf, findingsOf, forceOf, type Query } from "./query";

const MIB = 1024 * 1024;
/** The limit of a page is 8 MiB; some of that is for the JSON around its objects. */
const PAGE_BYTES = 8 * MIB - 64 * 1024;
/**
 * A longer answer gets its own turn of the event loop, because inserting its addresses takes milliseconds.
 */
const LONG_ANSWER = MIB;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"];

declare module "fastify" {
  interface FastifyContextConfig {
    /** The operation of the route; none where the method is not allowed. */
    operation?: ApiOperation;
  }
}

/** The parts that the operations of the API need. */
export interface Serving {
  readonly context: ServerContext;
  readonly apiKeys: ApiKeys;
  readonly keyUses: KeyUses;
  readonly dispatcher: Dispatcher;
  readonly eventWaits: EventWaits;
  readonly inFlight: RequestsInFlight;
  /** The address under which a client reached the server. */
  readonly addressOf: (request: FastifyRequest) => string;
  /** Refuses a request that waited, if its caller may no longer make it. */
  readonly lookAgain: (request: FastifyRequest) => Promise<void>;
}

/** Registers all operations of the API, and answers other methods on their paths with 405. */
export function registerOperations(api: FastifyInstance, serving: Serving): void {
  const operations = allOperations();
  for (const operation of operations) registerOperation(api, operation, serving);
  refuseOtherMethods(api, operations);
}

function registerOperation(api: FastifyInstance, operation: ApiOperation, serving: Serving): void {
  const { apiKeys } = serving;
  const run = decidesOnCallers(operation) ? forgetting(apiKeys, operation.run) : operation.run;
  const served = { ...operation, run };
  api.route({
    method: operation.method,
    url: routePattern(operation.path),
    config: {
      slots: slotsOf(operation),
      room: operation.room,
      operation,
      large: operation.isLarge ? "bytes" : operation.takes16MiB ? "json" : undefined,
    },
    bodyLimit: operation.isLarge || operation.takes16MiB ? LARGE_BODY : BODY_LIMIT,
    handler: (request, reply) => serve(served, serving, request, reply),
  });
}

async function serve(
  operation: ApiOperation,
  { context, keyUses, dispatcher, eventWaits, inFlight, addressOf, lookAgain }: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | Buffer | undefined> {
  const params = request.params as ObjectPath;
  if (Object.values(params).includes("")) throw noRoute(request);
  const { caller } = request;
  const address = addressOf(request);
  const query = queryOf(request, operation.query);
  const body = operation.isLarge
    ? request.body
    : operation.body && objectIn(request.body ?? (operation.takesNoFields ? {} : undefined));
  const name = nameIn(request, operation);
  const idempotency = isIdempotent(operation) ? idempotentRequestOf(request, body) : undefined;
  const consequences = consequencesFor(context, caller, query);
  const gone = goneSignal(reply);
  const change = {
    caller,
    operationId: request.id,
    client: callerAddress(request),
    isForwarded: isForwarded(request),
    force: forceOf(query),
    dryRun: dryRunOf(query),
    idempotency,
    onDryRun: consequences?.onDryRun,
    ...(operation.method !== "GET" && { gone: gone() }),
  };
  const outcome = await operation.run(
    {
      resources: new ResourceService(context, change),
      parts: new Subresources(context, change),
      ...{ context, caller, change, keyUses, dispatcher, eventWaits },
      pageBytes: context.documents.roomFor(PAGE_BYTES, address),
    },
    {
      ...{ params, query, body, name, gone },
      precondition: (etag) => requireMatch(request, etag),
      turn: () => inFlight.turn(request),
      lookAgain: () => lookAgain(request),
    },
  );
  reply.code(consequences && outcome === undefined ? 200 : operation.success.status);
  if (outcome === undefined && !consequences) return undefined;
  if (outcome && tellHeaders(operation, outcome, query, request, reply, address)) return undefined;
  const plain = !outcome
    ? "{}"
    : "json" in outcome
      ? outcome.json
      : pageJson(operation, outcome, request, address);
  const json = consequences ? await consequences.addTo(plain, gone()) : plain;
  reply.header("content-type", JSON_TYPE);
  // Not `reply.send`: Fastify would wait for the reply, with listeners for its end.
  if (json.length <= LONG_ANSWER) return context.documents.answer(json, address);
  await ownTurn();
  // A buffer lies outside of the heap. While the answer waits to be read, it is held once, and its source
  // can be freed.
  return Buffer.from(context.documents.answer(json, address));
}

/** What a dry run with findings adds to its answer. */
function consequencesFor(
  context: ServerContext,
  caller: Caller,
  query: Query,
): DryRunConsequences | undefined {
  if (!findingsOf(query)) return undefined;
  refuseUnlessMay(caller, "read", "exposure");
  return new DryRunConsequences(context, caller);
}

/** Sets the headers of an answer. Returns whether the client has it already (304). */
function tellHeaders(
  operation: ApiOperation,
  outcome: NonNullable<Outcome>,
  query: Query,
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
): boolean {
  if ("etag" in outcome) {
    reply.header("etag", outcome.etag);
    // The ETag does not cover names.
    if (isCacheable(operation) && !asksForNames(query) && isKnown(request, outcome.etag)) {
      reply.code(304);
      return true;
    }
    if (outcome.created && !dryRunOf(query)) {
      const path = expandPath(operation.path, request.params as ObjectPath);
      reply.header("location", `${address}${path}/${outcome.created}`);
    }
  }
  if ("replayed" in outcome && outcome.replayed) reply.header("idempotent-replayed", "true");
  return false;
}

const CALLERS = [
  ...(["api_key", "bot_user", "workload_identity", "project", "membership", ...RESTRICTING] as const).map(
    (kind) => definitionOf(kind).path,
  ),
  "/changesets",
  "/users",
  "/sessions",
];

/**
 * Which slots an operation's requests take. API keys have their own, so that an admin can always list and
 * delete them.
 */
function slotsOf({ waits, method, path }: ApiOperation): (request: FastifyRequest) => SlotKind | undefined {
  const keys = definitionOf("api_key").path;
  const isKeys = (method === "GET" && path === keys) || (method === "DELETE" && path.startsWith(keys));
  return (request) => (waits?.(request.query as Query) ? "waits" : isKeys ? "keys" : undefined);
}

/** Aborts when an answer was sent, or the client no longer waits for it. Made for those who ask for it. */
function goneSignal(reply: FastifyReply): () => AbortSignal {
  let gone: AbortController | undefined;
  return () => {
    if (!gone) {
      const made = new AbortController();
      reply.raw.once("close", () => made.abort());
      gone = made;
    }
    return gone.signal;
  };
}

/** Whether an operation changes API keys, or what decides about them. */
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

function queryOf(request: FastifyRequest, accepted: readonly string[] = []): Record<string, string> {
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

/** Answers other methods on the paths of operations with 405. */
export function refuseOtherMethods(
  api: FastifyInstance,
  operations: readonly Pick<ApiOperation, "path" | "method">[],
): void {
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

const routePattern = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");
