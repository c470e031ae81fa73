import { createSchema, definitionNamed, mapSecrets, modulesOf, toSent } from "@tunnelplane/sdk/contract";
import { UNKNOWN, type World, type WorldObject } from "@tunnelplane/sdk/meaning";
import type { Everything } from "../core/everything";
import { type Belonging, unseenOwners, withoutDeletedModules } from "./belongings";
import type { Preview, PreviewStep, State } from "./preview";
import { awaitedBy, newSecretsOf, objectOf, type ResourceType, typeIn } from "./resources";
import { hidesSecrets, withObjectsOfSets } from "./sets";

/** The change that a preview shows: its steps, and the worlds before and after it. */
export interface PreviewedChange extends Worlds {
  readonly steps: readonly OurStep[];
  /** Whether secrets may have other values that nobody can see. */
  readonly hidden: boolean;
}

/** @param server the objects of a server, to include those outside of the stack */
export function changeIn(preview: Preview, server?: Everything): PreviewedChange {
  const read = withObjectsOfSets(preview);
  const steps = ourSteps(read);
  return { steps, hidden: hidesSecrets(preview), ...worldsOf(read, steps, server) };
}

/** A step of a preview for a resource of this package. */
export interface OurStep extends PreviewStep {
  readonly type: ResourceType;
}

export interface Worlds {
  readonly before: World;
  readonly after: World;
  /** Sentences about parts that the review could not see. */
  readonly limits: readonly string[];
}

/** Steps of resources that the stack only reads and does not declare. */
const NOT_OF_THE_STACK = ["refresh", "read", "read-replacement", "read-discard"];

export const ourSteps = ({ steps }: Preview): OurStep[] =>
  steps.flatMap((step) => {
    const type = NOT_OF_THE_STACK.includes(step.op) ? undefined : typeIn(step.urn);
    return type ? [{ ...step, type }] : [];
  });

/** The worlds before and after a preview, with the other objects of the server if it was asked. */
export function worldsOf(
  preview: Preview,
  steps: readonly OurStep[],
  server: Everything | undefined,
): Worlds {
  const stack = stackIn(steps);
  const { was, is, changed, limits } = stack;
  if (preview.missing > 0) limits.push(missing(preview.missing, server !== undefined));
  if (!server) {
    limits.push(...unseenOwners(changed, [...was, ...is], false));
    limits.push(
      "No server was asked, so objects outside of this stack are not in this review (use --url and --api-key).",
    );
    return { before: { objects: was, partial: true }, after: { objects: is, partial: true }, limits };
  }
  return withServer(stack, steps, server);
}

/** The stack's own objects, before and after. */
interface StackObjects {
  readonly was: readonly WorldObject[];
  readonly is: readonly WorldObject[];
  readonly changed: readonly Belonging[];
  /** What is not seen; more is added. */
  readonly limits: string[];
}

function stackIn(steps: readonly OurStep[]): StackObjects {
  const limits: string[] = [];
  const changed: Belonging[] = [];
  const before = new Map<string, WorldObject>();
  const after = new Map<string, WorldObject>();
  const awaited = new Set<string>();
  const keeps = new Set(steps.filter(({ op }) => op === "same" || op === "update").map(({ urn }) => urn));
  for (const step of steps) {
    const { urn, op, type, oldState, newState } = step;
    // Skip old copies that an earlier run still has to delete: they are not in use. A replaced object has the
    // same mark, but is in use.
    if (oldState && !(oldState.delete && op.startsWith("delete"))) {
      const object = objectOf(type, oldState, {
        urn,
        id: idOf(oldState),
        known: oldState.outputs,
        isMade: () => true,
      });
      before.set(urn, object);
      if (op !== "same") changed.push({ type, op, object });
    }
    if (!newState || op.startsWith("delete")) continue;
    const id = keeps.has(urn) && oldState ? idOf(oldState) : (idOf(newState) ?? adoptedBy(newState));
    const known = op === "same" ? oldState?.outputs : undefined;
    // A replacement has several steps.
    const newSecrets = [...(after.get(urn)?.newSecrets ?? []), ...newSecretsOf(type, step)];
    const object: WorldObject = {
      ...objectOf(type, newState, { urn, id, known, isMade: (reference) => keeps.has(reference) }),
      ...(newSecrets.length > 0 && { newSecrets }),
    };
    for (const reference of awaitedBy(type, object, newState)) awaited.add(reference);
    if (type.owner && Reflect.get(object.fields, type.owner.idField) === UNKNOWN) {
      limits.push(
        `\`${object.name}\` (${type.kind}) belongs to an object that is not known yet, so its effect is not in this review.`,
      );
    } else after.set(urn, object);
    if (op !== "same") changed.push({ type, op, object });
  }
  const used = (object: WorldObject) =>
    awaited.has(object.urn ?? "") ? { ...object, used: true as const } : object;
  return { was: [...before.values()], is: [...after.values()].map(used), changed, limits };
}

function withServer(
  { was, is, changed, limits }: StackObjects,
  steps: readonly OurStep[],
  server: Everything,
): Worlds {
  const { role, owner_id: owner } = server.caller;
  limits.push(...server.leftOut.map((line) => `Not seen: ${line}.`));
  const known = {
    partial: server.leftOut.length > 0,
    knowsEdges: true,
    // A viewer sees every bot, and no user.
    ...(role !== "viewer" && { admins: role === "admin" ? [owner] : [] }),
    caller: owner,
    ...(server.ports && { ports: server.ports }),
  };
  const recorded = new Set(
    steps.flatMap(({ oldState, type }) => (oldState && !type.owner ? [idOf(oldState)] : [])),
  );
  const outside = server.found.map(outsideObject).filter(({ id }) => !recorded.has(id));
  // An object that the stack adopts was outside of it before.
  const held = new Set(is.filter(({ kind }) => !kind.includes(".")).map(({ id }) => id));
  const left = undeclaredModules(server, was);
  limits.push(...unseenOwners(changed, [...was, ...is, ...outside], true));
  return {
    before: { ...known, objects: [...was.map(left), ...outside] },
    after: {
      ...known,
      objects: [
        ...is.map(left),
        ...outside.filter(({ id }) => !held.has(id)).map(withoutDeletedModules(was, is)),
      ],
    },
    limits,
  };
}

/** The object that a resource of the dynamic provider adopts with the option `import`. */
const adoptedBy = ({ inputs }: State): string | undefined =>
  typeof inputs?.__adopts === "string" ? inputs.__adopts.split("/").at(-1) : undefined;

/** The object's own id, the last part of a resource's id. */
const idOf = ({ id }: State): string | undefined => id?.split("/").at(-1) || undefined;

function missing(count: number, asked: boolean): string {
  const what = `${count} unchanged ${count === 1 ? "resource is" : "resources are"} not in this preview, which was made without --show-sames`;
  return asked
    ? `${what}: they were read from the server, and count as outside of the stack.`
    : `${what}: findings that depend on them are uncertain.`;
}

function outsideObject({ definition, answer, name }: Everything["found"][number]): WorldObject {
  const open = mapSecrets(definition, answer, () => undefined);
  const { routes, ...fields } = open;
  return {
    kind: definition.kind,
    id: String(answer.id),
    ...(name !== undefined && { name }),
    fields: definition.kind === "https_edge" ? fields : open,
  };
}

/**
 * Adds modules that objects of the stack have on the server and that it does not declare, because another
 * stack may.
 */
function undeclaredModules(
  { found }: Everything,
  before: readonly WorldObject[],
): (object: WorldObject) => WorldObject {
  const answers = new Map(found.map((entry) => [String(entry.answer.id), entry]));
  const declared = new Set(
    before.flatMap(({ id, kind, fields }) => [kind, ...Object.keys(fields)].map((name) => `${id} ${name}`)),
  );
  return (object) => {
    const at = object.id === undefined || object.kind.includes(".") ? undefined : answers.get(object.id);
    if (!at) return object;
    const definition = definitionNamed(object.kind);
    const sent = toSent(
      createSchema(definition),
      mapSecrets(definition, at.answer, () => undefined),
    );
    const added = modulesOf(definition).filter(
      (module) =>
        sent[module] !== undefined &&
        !declared.has(`${object.id} ${module}`) &&
        !declared.has(`${object.id} ${object.kind}.${module}`),
    );
    return {
      ...object,
      fields: { ...Object.fromEntries(added.map((module) => [module, sent[module]])), ...object.fields },
    };
  };
}
