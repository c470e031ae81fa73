import { readFileSync, statSync } from "node:fs";
import { decisionRequestSchema, isObject, messageOf, own, validateModule } from "@tunnelplane/sdk/contract";
import type { DecisionRequest, World, WorldObject } from "@tunnelplane/sdk/meaning";
import { KINDS } from "./answered";

const MAX_BYTES = 256 << 20;
const MAX_REQUESTS = 1000;
const MAX_PROBLEMS_LENGTH = 5;

/** Reads a world: `{"objects": [{"kind", "id", "fields"}, …], "ports": […]}`, or only the list. */
export function readWorld(file: string): World {
  const read = readJson(file);
  const whole = Array.isArray(read) ? { objects: read } : read;
  const list = isObject(whole) ? whole.objects : undefined;
  if (!isObject(whole) || !Array.isArray(list))
    throw new Error(`${file} must hold {"objects": [{"kind": …, "id": …, "fields": {…}}, …]}`);
  const objects = list.map((one: unknown, index) => objectIn(one, `${file}, objects[${index}]`));
  const { ports } = whole;
  if (ports !== undefined && !(Array.isArray(ports) && ports.every((port) => Number.isInteger(port))))
    throw new Error(`${file}: ports must be a list of numbers, those that gateways listen for`);
  return { ...whole, objects: [...objects, ...unlistedPolicies(objects)] };
}

/** The files of a gateway hold the rules of IP policies, but not the policies. */
function unlistedPolicies(objects: readonly WorldObject[]): WorldObject[] {
  const listed = new Set(objects.flatMap(({ id, urn }) => [id, urn]));
  const named = objects.flatMap(({ kind, fields: { ip_policy } }) =>
    kind === "ip_policy_rule" && isObject(ip_policy) && typeof ip_policy.id === "string" ? ip_policy.id : [],
  );
  const missing = [...new Set(named)].filter((id) => !listed.has(id));
  return missing.map((id) => ({ kind: "ip_policy", id, fields: {} }));
}

function objectIn(value: unknown, label: string): WorldObject {
  if (!isObject(value) || typeof value.kind !== "string" || !isObject(value.fields))
    throw new Error(`${label}: expected {"kind": …, "id": …, "fields": {…}}`);
  const { kind, fields, id = fields.id } = value;
  if (!KINDS.has(kind))
    throw new Error(
      `${label}: there is no kind ${JSON.stringify(kind)}; expected one of ${[...KINDS].join(", ")}`,
    );
  if (id !== undefined && typeof id !== "string") throw new Error(`${label}: id must be a text`);
  return { ...value, kind, id, fields };
}

/** Reads `{"requests": […]}`, each as `POST /exposure/decisions` takes it. */
export function readRequests(file: string): DecisionRequest[] {
  const read = readJson(file);
  const list = isObject(read) ? read.requests : undefined;
  if (!Array.isArray(list))
    throw new Error(`${file} must hold {"requests": [{"address": "app.example.com:443", "from": …}, …]}`);
  if (list.length === 0) throw new Error(`${file} holds no request: give at least one`);
  if (list.length > MAX_REQUESTS)
    throw new Error(`${file} holds ${list.length} requests, and a trial has at most ${MAX_REQUESTS}`);
  const problems = list.flatMap((one: unknown, index) => problemsOf(one, `requests[${index}]`));
  if (problems.length > 0) throw new Error(`${file}: ${problems.slice(0, MAX_PROBLEMS_LENGTH).join("; ")}`);
  return list;
}

function problemsOf(value: unknown, label: string): string[] {
  if (!isObject(value)) return [`${label} must be an object`];
  const found = validateModule(decisionRequestSchema(), value).problems.map(
    ({ path, message }) => `${[label, ...path.map(String)].join(".")} ${message}`,
  );
  // These go into the lines of a request unchanged.
  const broken = ["method", "path", "host"].filter((name) => /[\s\0]/.test(String(own(value, name) ?? "")));
  return [
    ...found,
    ...broken.map((name) => `${label}.${name} holds white space, which no request has there`),
  ];
}

function readJson(file: string): unknown {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES >> 20} MiB`);
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file} could not be read: ${messageOf(error)}`);
  }
}
