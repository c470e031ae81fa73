import type { Caller, Transport } from "@tunnelplane/sdk";
import {
  camelCase,
  type Definition,
  pathFieldsOf,
  present,
  registry,
  seesNoSecrets,
} from "@tunnelplane/sdk/contract";
import { knownCallerOf } from "../core/caller";
import { type Everything, readServer } from "../core/everything";
import { Lifecycle } from "../core/lifecycle";
import { recordOfPlace } from "../core/place";
import { targetOf, type Wire } from "../core/target";
import { outputsOf, type Properties, withoutAddresses } from "../core/values";

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
  const places = new Map<Definition, Properties>();
  for (const definition of registry) places.set(definition, await recordOfPlace(transport, definition));
  const objects = registry.flatMap((definition) =>
    found
      .filter((one) => one.definition === definition && !isOutside(one))
      .sort((a, b) => (String(a.answer.id) < String(b.answer.id) ? -1 : 1))
      .flatMap(({ answer, name }) => {
        const taken = take(definition, answer, caller);
        if (typeof taken === "object")
          return [{ ...taken, givenName: name, outputs: { ...taken.outputs, ...places.get(definition) } }];
        leftOut.push(`${definition.title} ${answer.id}: ${taken}`);
        return [];
      }),
  );
  return { caller, objects, leftOut };
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
function take(definition: Definition, answer: Wire, caller: Caller): Existing | string {
  if (answer.id === caller.key_id) return "it is the API key of this command";
  // Of other types, those that have ended stay, and may be given another end.
  if (
    definition.kind === "api_key" &&
    typeof answer.expires_at === "string" &&
    Date.parse(answer.expires_at) <= Date.now()
  )
    return `it expired at ${answer.expires_at}`;
  const target = present(targets.get(definition.kind));
  const outputs = outputsOf(target.definition, answer, undefined);
  const fields = withoutAddresses(target.definition, outputs);
  const { ownerId, ...others } = Object.fromEntries(
    Object.keys(definition.fields)
      .map(camelCase)
      .filter((name) => fields[name] !== undefined)
      .map((name) => [name, fields[name]]),
  );
  const declared = ownerId === undefined || ownerId === caller.owner_id ? others : { ...others, ownerId };
  const { inputs, problems } = new Lifecycle(target).check({}, declared, () => false);
  if (problems.length > 0) return `it breaks today's rules, so it cannot be declared: ${problems.join("; ")}`;
  const resourceId = [...pathFieldsOf(definition), "id"].map((name) => answer[name]).join("/");
  return { definition, id: String(answer.id), resourceId, answer, inputs, outputs };
}

const targets = new Map(registry.map(({ kind }) => [kind, targetOf(kind)]));
