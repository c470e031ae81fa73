import type { Caller, Transport } from "@tunnelplane/sdk";
import {
  answeredListsOf,
  camelCase,
  createSchema,
  type Definition,
  embeddedIn,
  isObject,
  partsOf,
  pathFieldsOf,
  present,
  registry,
  secretPathsOf,
  seesNoSecrets,
} from "@tunnelplane/sdk/contract";
import { knownCallerOf } from "../core/caller";
import { type Everything, readServer } from "../core/everything";
import { Lifecycle } from "../core/lifecycle";
import { recordOfLocation } from "../core/location";
import { targetOf, type Wire } from "../core/target";
import { outputsOf, type Properties, toProperties, withoutAddresses } from "../core/values";
import { type ForeignObjects, NOBODY } from "./foreign";

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
  const objects = registry.flatMap((definition) =>
    found
      .filter((one) => one.definition === definition)
      .sort((a, b) => (String(a.answer.id) < String(b.answer.id) ? -1 : 1))
      .flatMap(({ answer: { owner_id: owner, ...answer }, name }) => {
        const owned = owner !== undefined && bots.has(owner) ? { ...answer, owner_id: owner } : answer;
        leftOut.push(...unheldIn(definition, answer));
        const taken = takeForeign(definition, owned, isDeclared);
        if (typeof taken === "object") return [{ ...taken, givenName: name }];
        leftOut.push(`${definition.title} ${String(answer.id)}: ${taken}`);
        return [];
      }),
  );
  return { caller: NOBODY, objects, leftOut };
}

/** As it is; or, where that lacks secrets, with marks in their place. */
function takeForeign(definition: Definition, answer: Wire, isDeclared: boolean): Existing | string {
  const taken = take(definition, answer, NOBODY, isDeclared);
  if (typeof taken === "object") return taken;
  const filled = withMarks(definition, answer);
  const again = filled === undefined ? taken : take(definition, filled, NOBODY, isDeclared);
  return typeof again === "object" ? again : taken;
}

/** The answer with a mark in place of each secret that it lacks; undefined if it lacks none. */
function withMarks(definition: Definition, answer: Wire): Wire | undefined {
  const filled = structuredClone(answer) as Record<string, unknown>;
  let marks = 0;
  for (const path of secretPathsOf(definition)) {
    const [last = "", ...before] = path.split(".").reverse();
    const parent = before
      .reverse()
      .reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), filled);
    if (!isObject(parent) || (parent[last] ?? null) !== null) continue;
    (parent as Record<string, unknown>)[last] = FILL_IN;
    marks++;
  }
  return marks === 0 ? undefined : filled;
}

/** Parts of an object that are set and cannot be kept here. */
function unheldIn(definition: Definition, answer: Wire): string[] {
  const known = new Set([
    ...KNOWN,
    ...Object.keys(createSchema(definition).shape),
    ...Object.keys(definition.fields),
    ...partsOf(definition),
    ...Object.keys(definition.computed),
    ...embeddedIn(definition).map(([name]) => name),
    ...answeredListsOf(definition).map(({ answeredAs }) => answeredAs),
    definition.idField,
  ]);
  return Object.entries(answer)
    .filter(([name, value]) => !known.has(name) && isSet(value))
    .map(([name]) => `${definition.title} ${String(answer.id)}: its \`${name}\`, which cannot be kept here`);
}

const KNOWN = ["id", "uri", "created_at", "updated_at", "region", "metadata", "description", "resource_name"];
const isSet = (value: unknown): boolean =>
  value !== null && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0);

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
