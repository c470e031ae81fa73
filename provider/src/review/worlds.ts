import { createSchema, definitionNamed, mapSecrets, modulesOf, toSent } from "@tunnelplane/sdk/contract";
import { UNKNOWN, type World, type WorldObject } from "@tunnelplane/sdk/meaning";
import type { Everything } from "../core/everything";
import type { Preview, PreviewStep, State } from "./preview";
import { objectOf, type ResourceType, typeIn } from "./resources";

/** A step of a preview that declares something of ours. */
export interface OurStep extends PreviewStep {
  readonly type: ResourceType;
}

export interface Worlds {
  readonly before: World;
  readonly after: World;
  /** Sentences on what the review could not see. */
  readonly limits: readonly string[];
}

/** Resources that are only read are not declared by the stack. */
const NOT_OF_THE_STACK = ["refresh", "read", "read-replacement", "read-discard"];

export const ourSteps = ({ steps }: Preview): OurStep[] =>
  steps.flatMap((step) => {
    const type = NOT_OF_THE_STACK.includes(step.op) ? undefined : typeIn(step.urn);
    return type ? [{ ...step, type }] : [];
  });

/** The worlds before and after a preview, with the other objects of the server if it was asked. */
export function worldsOf(preview: Preview, steps: readonly OurStep[], server: Everything | undefined): Worlds {
  const limits: string[] = [];
  const before = new Map<string, WorldObject>();
  const after = new Map<string, WorldObject>();
  const keeps = new Set(steps.filter(({ op }) => op === "same" || op === "update").map(({ urn }) => urn));
  for (const { urn, op, type, oldState, newState } of steps) {
    // A copy that an earlier run left to be deleted serves nobody; what this change replaces is marked so as well, and serves.
    if (oldState && !(oldState.delete && op.startsWith("delete"))) {
      before.set(urn, objectOf(type, oldState, { urn, id: idOf(oldState), known: oldState.outputs, isMade: () => true }));
    }
    if (!newState || op.startsWith("delete")) continue;
    const id = keeps.has(urn) && oldState ? idOf(oldState) : idOf(newState);
    const known = op === "same" ? oldState?.outputs : undefined;
    const object = objectOf(type, newState, { urn, id, known, isMade: (other) => keeps.has(other) });
    if (type.owner && Reflect.get(object.fields, type.owner.idField) === UNKNOWN) {
      limits.push(`What \`${object.name}\` (${type.kind}) belongs to is not known yet: what it does is not in this review.`);
    } else after.set(urn, object);
  }
  const [was, is] = [[...before.values()], [...after.values()]];
  if (preview.missing > 0) limits.push(missing(preview.missing, server !== undefined));
  if (!server) {
    limits.push("No server was asked: what is outside of this stack could not be seen (--url and --api-key ask one).");
    return { before: { objects: was, partial: true }, after: { objects: is, partial: true }, limits };
  }
  const isAdmin = server.caller.role === "admin";
  limits.push(...server.leftOut.map((line) => `Not seen: ${line}.`));
  const known = { partial: !isAdmin, admins: isAdmin ? [server.caller.owner_id] : [], caller: server.caller.owner_id };
  const recorded = new Set(steps.flatMap(({ oldState, type }) => (oldState && !type.owner ? [idOf(oldState)] : [])));
  const outside = server.found.map(outsideObject).filter(({ id }) => !recorded.has(id));
  const left = undeclaredModules(server, was);
  return {
    before: { ...known, objects: [...was.map(left), ...outside] },
    after: { ...known, objects: [...is.map(left), ...outside] },
    limits,
  };
}

/** The last of the ids that the id of a resource is made of. */
const idOf = ({ id }: State): string | undefined => id?.split("/").at(-1) || undefined;

function missing(count: number, asked: boolean): string {
  const what = `${count} unchanged ${count === 1 ? "resource is" : "resources are"} not in this preview, which was made without --show-sames`;
  return asked ? `${what}: they come from the server, as what belongs to no stack.` : `${what}: what rests on them is uncertain.`;
}

function outsideObject({ definition, answer }: Everything["found"][number]): WorldObject {
  const open = mapSecrets(definition, answer, () => undefined);
  const { routes, ...fields } = open;
  return { kind: definition.kind, id: answer.id as string, fields: definition.kind === "https_edge" ? fields : open };
}

/** Adds the modules that objects of the stack have on the server and that this stack does not declare: another one may. */
function undeclaredModules({ found }: Everything, before: readonly WorldObject[]): (object: WorldObject) => WorldObject {
  const answers = new Map(found.map((one) => [one.answer.id as string, one]));
  const declared = new Set(before.flatMap(({ id, kind, fields }) => [kind, ...Object.keys(fields)].map((name) => `${id} ${name}`)));
  return (object) => {
    const at = object.id === undefined || object.kind.includes(".") ? undefined : answers.get(object.id);
    if (!at) return object;
    const definition = definitionNamed(object.kind);
    const sent = toSent(
      createSchema(definition),
      mapSecrets(definition, at.answer, () => undefined),
    ) as Record<string, unknown>;
    const added = modulesOf(definition).filter(
      (module) =>
        sent[module] !== undefined && !declared.has(`${object.id} ${module}`) && !declared.has(`${object.id} ${object.kind}.${module}`),
    );
    return { ...object, fields: { ...Object.fromEntries(added.map((module) => [module, sent[module]])), ...object.fields } };
  };
}
