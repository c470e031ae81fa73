import type { Caller, Transport } from "@tunnelplane/sdk";
import {
  camelCase,
  camelCasePath,
  createSchema,
  DEFAULT_PROJECT,
  type Definition,
  isObject,
  pathFieldsOf,
  present,
  referencesIn,
  registry,
  rename,
  secretPathsOf,
  seesNoSecrets,
} from "@tunnelplane/sdk/contract";
import { knownCallerOf } from "../core/caller";
import { type Everything, readServer } from "../core/everything";
import { Lifecycle } from "../core/lifecycle";
import { recordOfLocation } from "../core/location";
import { targetOf, type Wire } from "../core/target";
import { outputsOf, type Properties, toProperties, withoutAddresses } from "../core/values";
import type { Unheld } from "./fitting";
import { type ForeignObject, type ForeignObjects, NOBODY } from "./foreign";

/** An object of the server, in the forms of a declaration and of a state. */
export interface Existing {
  readonly definition: Definition;
  /** The value of references to it. */
  readonly id: string;
  /** The id of its resource. */
  readonly resourceId: string;
  /** The name that it has from an earlier program. */
  readonly givenName?: string;
  readonly answer: Wire;
  /** The declared fields, with their defaults. */
  readonly inputs: Properties;
  readonly outputs: Properties;
}

/** The objects that an object refers to. */
export function referencesOf({
  definition,
  inputs,
}: Existing): { path: PropertyKey[]; id: string; isKey: boolean }[] {
  const schema = createSchema(definition);
  return referencesIn(schema, rename(schema, inputs, "wire")).map(({ path, id, isKey = false }) => ({
    path: camelCasePath(schema, path),
    id,
    isKey,
  }));
}

/** Everything that an API key may see. */
export interface World {
  readonly caller: Caller;
  /** By kind, oldest first. */
  readonly objects: readonly Existing[];
  /** Sentences about the objects that are left out, with the reason. */
  readonly leftOut: readonly string[];
}

/** Reads all objects, page by page. */
export async function readWorld(transport: Transport, progress: (read: number) => void): Promise<World> {
  refuseWithoutSecrets(await knownCallerOf(transport));
  const { caller, found, leftOut: unseen } = await readServer(transport, progress);
  const isOutside = outsideOf(transport.project, caller);
  const leftOut = found.some(isOutside) ? [...unseen, OF_ACCOUNT] : [...unseen];
  const locations = new Map<Definition, Properties>();
  for (const definition of registry) locations.set(definition, await recordOfLocation(transport, definition));
  const objects = registry.flatMap((definition) =>
    found
      .filter((one) => one.definition === definition && !isOutside(one))
      .sort((a, b) => (String(a.answer.id) < String(b.answer.id) ? -1 : 1))
      .flatMap(({ answer, name }) => {
        const taken = take(definition, answer, caller);
        if (typeof taken === "object")
          return [{ ...taken, givenName: name, outputs: { ...taken.outputs, ...locations.get(definition) } }];
        leftOut.push(`${definition.title} ${answer.id}: ${taken}`);
        return [];
      }),
  );
  return { caller, objects, leftOut };
}

/** What another service holds, as far as we can hold it. Secrets that it hides are filled in later. */
export function foreignWorld({ found, leftOut: unread, isDeclared = false }: ForeignObjects): World {
  const leftOut = [...unread];
  const bots = new Set(found.map(({ answer }) => answer.id));
  const [closed, places] = [new Set<unknown>(), new Set<unknown>()];
  const closedTo = (one: ForeignObject, why: string): Existing[] => {
    const { definition, answer } = one;
    const place = takeForeign(definition, denying(definition, placeOf(answer)), isDeclared);
    const isPlace =
      CARRIES_TRAFFIC.test(definition.kind) && typeof place === "object" && !places.has(answer.id);
    leftOut.push(`${titleOf(one)}: ${why}${isPlace ? CLOSED : ""}`);
    for (const set of [closed, places]) set.add(answer.id);
    return isPlace ? [{ ...place, givenName: one.name }] : [];
  };
  const once = [...new Map(found.map((one) => [one.answer.id, one])).values()];
  const sorted = registry.flatMap((definition) =>
    once
      .filter((one) => one.definition === definition)
      .sort((a, b) => (String(a.answer.id) < String(b.answer.id) ? -1 : 1)),
  );
  let objects = sorted.flatMap((one) => {
    const { definition, answer, unheld, name } = one;
    const { owner_id: owner, ...unowned } = answer;
    const owned = owner !== undefined && bots.has(owner) ? answer : unowned;
    const lost = unheld.some(mayGuard) && CARRIES_TRAFFIC.test(definition.kind);
    for (const { path } of unheld)
      leftOut.push(`${titleOf(one)}: its \`${path}\`, which cannot be kept here`);
    const isClosed = lost || closed.has(answer.edge_id);
    if (isClosed) {
      closed.add(answer.id);
      leftOut.push(`${titleOf(one)}: what guards it is not whole${CLOSED}`);
    }
    const taken = takeForeign(definition, isClosed ? denying(definition, owned) : owned, isDeclared);
    return typeof taken === "object" ? [{ ...taken, givenName: name }] : closedTo(one, taken);
  });
  const byId = new Map(sorted.map((one) => [one.answer.id, one]));
  for (let isDone = false; !isDone; ) {
    const ids = new Set(objects.map(({ id }) => id));
    isDone = true;
    objects = objects.flatMap((object) => {
      const lost = referencesOf(object).find(({ id }) => !ids.has(id))?.id;
      const isBeside = closed.has(object.answer.edge_id) && !closed.has(object.id);
      const one = byId.get(object.id);
      if (!one || (lost === undefined && !isBeside)) return [object];
      isDone = false;
      return closedTo(
        one,
        lost === undefined ? "its edge is not whole" : `it refers to ${lost}, which is not there`,
      );
    });
  }
  return { caller: NOBODY, objects, leftOut };
}

const titleOf = ({ definition, answer }: ForeignObject): string => `${definition.title} ${String(answer.id)}`;

/** Objects that others would take the place of if they were left out: a wildcard, or a shorter path. */
const CARRIES_TRAFFIC = /_edge(_route)?$/;
const CLOSED = "; it is declared with `deny` for everybody, who would come past what is missing";

/** Whether a part that is lost may decide who is let in: a module in use, or what narrows one. */
const mayGuard = ({ path, value }: Unheld): boolean =>
  path.includes(".")
    ? !path.startsWith("backend.") && (typeof value === "object" || value === true)
    : [value].flat().some((one) => isObject(one) && (one.enabled ?? false) !== false);

/** HTTPS edges have no policies: their routes deny. */
function denying({ fields }: Definition, answer: Wire): Wire {
  if (!Object.hasOwn(fields, "policies")) return answer;
  const { inbound = [], ...policies } = isObject(answer.policies) ? answer.policies : {};
  const deny = { name: "not whole", expressions: [], actions: [{ type: "deny", config: {} }] };
  return { ...answer, policies: { ...policies, enabled: true, inbound: [deny, ...(inbound as Wire[])] } };
}

/** What says for which requests an object is, and nothing else of it. */
const placeOf = ({ id, edge_id, match_type, match, hostports, description }: Wire): Wire =>
  Object.fromEntries(
    Object.entries({ id, edge_id, match_type, match, hostports, description }).filter(
      ([, value]) => value != null,
    ),
  );

/** With marks in place of the secrets that it lacks; as it is where those would not fit. */
function takeForeign(definition: Definition, answer: Wire, isDeclared: boolean): Existing | string {
  if (answer.id === DEFAULT_PROJECT.id) return "every server has this project";
  const marked = take(definition, withMarks(definition, answer), NOBODY, isDeclared);
  const taken = typeof marked === "object" ? marked : take(definition, answer, NOBODY, isDeclared);
  return typeof taken === "object" ? taken : marked;
}

/** The answer with a mark in place of each secret that it lacks. */
function withMarks(definition: Definition, answer: Wire): Wire {
  const filled = structuredClone(answer) as Record<string, unknown>;
  for (const path of secretPathsOf(definition)) {
    const [last = "", ...before] = path.split(".").reverse();
    const parent = before
      .reverse()
      .reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), filled);
    if (isObject(parent) && (parent[last] ?? "") === "") (parent as Record<string, unknown>)[last] = FILL_IN;
  }
  return filled;
}

const OF_ACCOUNT =
  "projects, and memberships outside of this one: they belong to the whole account; adopt them without --project";

/** Finds what belongs to the whole account, and not to the project that was chosen. */
function outsideOf(project: string | undefined, { projects = [] }: Caller) {
  const chosen = projects.find(({ name }) => name === project);
  return ({ definition, answer }: Everything["found"][number]): boolean =>
    chosen !== undefined &&
    (definition.kind === "project" || (definition.kind === "membership" && answer.project_id !== chosen.id));
}

/** A program without its secrets would take them away. */
function refuseWithoutSecrets({ role, name }: Caller): void {
  if (seesNoSecrets(role))
    throw new Error(
      `this API key belongs to ${name}, a ${role}, which reads no secrets: the program and its import file would lack them. Use the key of a member or an admin`,
    );
}

/** The object, or the reason to leave it out. */
function take(definition: Definition, answer: Wire, caller: Caller, isDeclared = false): Existing | string {
  if (answer.id === caller.key_id) return "it is the API key of this command";
  // Of other types, those that have ended stay, and may be given another end.
  if (
    definition.kind === "api_key" &&
    typeof answer.expires_at === "string" &&
    Date.parse(answer.expires_at) <= Date.now()
  )
    return `it expired at ${answer.expires_at}`;
  const target = present(targets.get(definition.kind));
  const outputs = isDeclared
    ? toProperties(target.definition, answer)
    : outputsOf(target.definition, answer, undefined);
  const fields = withoutAddresses(target.definition, outputs);
  const { ownerId, ...others } = Object.fromEntries(
    Object.keys(definition.fields)
      .map(camelCase)
      .filter((name) => fields[name] !== undefined)
      .map((name) => [name, fields[name]]),
  );
  const declared = ownerId === undefined || ownerId === caller.owner_id ? others : { ...others, ownerId };
  const { inputs, problems } = new Lifecycle(target).check({}, declared, (value) => value === FILL_IN);
  if (problems.length > 0) return `it breaks today's rules, so it cannot be declared: ${problems.join("; ")}`;
  const resourceId = [...pathFieldsOf(definition), "id"].map((name) => answer[name]).join("/");
  return { definition, id: String(answer.id), resourceId, answer, inputs, outputs };
}

/** Stands in place of a secret that is to be filled in; no service has it as a value. */
const FILL_IN = "tunnelplane:fill-in";

const targets = new Map(registry.map(({ kind }) => [kind, targetOf(kind)]));
