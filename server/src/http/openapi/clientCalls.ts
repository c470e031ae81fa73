import {
  answeredName,
  camelCase,
  collectionOf,
  type Definition,
  fieldsWhere,
  own,
  partsOf,
  pathFieldsOf,
  registry,
  type SampleCall,
} from "@tunnelplane/sdk/contract";
import type { DescribedOperation } from "../operations/operation";
import { PARAMETERS } from "./parameters";

/** The values of a request. */
export interface SampleValues {
  /** The parts of the path that are not fixed, by their names. */
  readonly ids: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** How the client sends a request for an operation; undefined where it has no call of its own. */
export const clientCall = (operation: DescribedOperation, values: SampleValues): SampleCall | undefined =>
  own(OTHERS, `${operation.method} ${operation.path}`)?.(values) ?? callOfType(operation, values);

/** The calls for what is not an object of a type. */
const OTHERS: Readonly<Record<string, (values: SampleValues) => SampleCall>> = {
  "GET /caller": () => call("caller"),
  "GET /audit_head": () => call("auditLog.head"),
  "GET /search": () => call("search", PARAMETERS.q?.example),
  "GET /exposure": () => list("exposure.list"),
  "POST /exposure/decisions": ({ body }) => call("exposure.decide", partOf(body, "requests")),
  "POST /changesets": ({ body }) => call("changesets.apply", body),
  "GET /changesets": () => list("changesets.list"),
  "GET /changesets/{set}": ({ ids }) => call("changesets.get", ids.set),
  "DELETE /changesets/{set}": ({ ids }) => call("changesets.release", ids.set),
  "GET /event_destinations/{id}/deliveries": ({ ids }) => list("deliveries.list", ids.id),
  "POST /event_destinations/{id}/test": ({ ids }) => call("deliveries.test", ids.id),
  "POST /event_destinations/{id}/replay": ({ ids, body }) => call("deliveries.replay", ids.id, body),
  "GET /events": () => call("events.newest", 100),
  "GET /gateways": () => list("gateways.list"),
  "GET /gateways/{name}": ({ ids }) => call("gateways.get", ids.name),
  "DELETE /gateways/{name}": ({ ids }) => call("gateways.delete", ids.name),
  "PUT /gateways/{name}/status": ({ ids, body }) => call("gateways.report", ids.name, body),
};

/** The calls for objects of types, their modules and their entries: each type has the same. */
function callOfType(
  { method, path, success }: DescribedOperation,
  { ids, body }: SampleValues,
): SampleCall | undefined {
  const definition = registry.find((one) => path === one.path || path.startsWith(`${one.path}/{id}`));
  if (!definition) return undefined;
  const collection = memberOf(definition, ids);
  const [, , part, key] = path.slice(definition.path.length).split("/");
  const sent = body === undefined ? [] : [body];
  if (path === definition.path)
    return success.list ? list(`${collection}.list`) : call(`${collection}.create`, ...sent);
  if (part === undefined) return call(`${collection}.${VERBS[method]}`, ids.id, ...sent);
  const member = `${collection}.${camelCase(part)}`;
  if (partsOf(definition).some((field) => answeredName(definition, field) === part))
    return call(`${member}.${VERBS[method]}`, ids.id, ...sent);
  if (!fieldsWhere(definition, (marks) => marks.entries).includes(part)) return undefined;
  if (key !== undefined) return call(`${member}.${VERBS[method]}`, ids.id, own(ids, key.slice(1, -1)));
  return call(`${member}.${method === "POST" ? "add" : "list"}`, ids.id, ...sent);
}

const VERBS = { GET: "get", PATCH: "update", PUT: "replace", DELETE: "delete", POST: "create" } as const;

/** The client's member for a type; a type whose path has ids takes them first. */
function memberOf(definition: Definition, ids: SampleValues["ids"]): string {
  const above = pathFieldsOf(definition).map((name) => JSON.stringify(own(ids, name)));
  return `${collectionOf(definition)}${above.length > 0 ? `(${above.join(", ")})` : ""}`;
}

const call = (member: string, ...values: unknown[]): SampleCall => ({ member, values });
const list = (member: string, ...values: unknown[]): SampleCall => ({ member, values, isList: true });

const partOf = (body: unknown, name: string): unknown =>
  Object.entries(body ?? {}).find(([field]) => field === name)?.[1];
