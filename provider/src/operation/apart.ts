import {
  camelCase,
  type Definition,
  isObject,
  messageOf,
  own,
  UNDECIDING_MODULES,
} from "@tunnelplane/sdk/contract";
import type { Properties } from "../core";
import { addsHostports, modulesLeaving } from "./openings";
import type { Operation } from "./operation";

/** A resource that declares modules of its own. */
interface Declaring {
  readonly definition: Definition;
  readonly urn: string | undefined;
  /** Undefined before the state or the engine names it. */
  readonly id: string | undefined;
}

/**
 * Recorded properties without the modules that leave the object's own resource, but not the object: another
 * resource of the program declares them, or of the stack's state.
 *
 * @param isRun whether a state that cannot be read is an error: to remove a module in doubt would open the
 *   object
 */
export async function withoutModulesApart(
  operation: Operation,
  { definition, urn, id }: Declaring,
  recorded: Properties,
  desired: Properties,
  isRun: boolean,
): Promise<Properties> {
  const leaving = modulesLeaving(definition, recorded, desired);
  const hinted = (urn !== undefined && operation.modulesApart.get(urn)) || [];
  const asked = leaving.filter(({ name }) => !hinted.includes(name));
  const stays = new Set(leaving.filter((module) => !asked.includes(module)).map(({ name }) => name));
  if (asked.length > 0 && id !== undefined) {
    const state = await operation.stateOfStack().catch((error: unknown) => {
      if (!isRun || !operation.stack) return [];
      const [reason] = messageOf(error).split("\n");
      throw new Error(
        `${asked.map(({ name }) => camelCase(name)).join(", ")} would be removed from ${id}, and the stack's state, which tells whether a resource of its own declares that, could not be read (${reason}). Put \`pulumi\` on the PATH and run again`,
        { cause: error },
      );
    });
    for (const { name, type } of asked)
      if (state.some((one) => one.id === id && !one.delete && one.type.split(":").at(-1) === type))
        stays.add(name);
  }
  if (stays.size === 0) return recorded;
  const kept = [...stays].map(camelCase);
  return Object.fromEntries(Object.entries(recorded).filter(([name]) => !kept.includes(name)));
}

/** Parts of an object beyond this many, or of more characters in an address, are not waited for. */
const [MAX_PARTS, MAX_CHARACTERS] = [100, 6000];

/**
 * The parts of a new object that the program declares as resources of their own. Without them, it would be
 * more open than declared until they are created.
 */
export function toFollow(
  operation: Operation,
  urn: string | undefined,
  desired: Properties,
): readonly string[] | undefined {
  const parts = urn === undefined ? [] : bounded(partsToFollow(operation, urn, desired));
  return parts.length > 0 ? parts : undefined;
}

const partsToFollow = ({ modulesApart, guards }: Operation, urn: string, desired: Properties): string[] => [
  ...modulesToFollow(modulesApart, urn, desired),
  ...(guards.get(urn) ?? []),
];

function bounded(all: readonly string[]): string[] {
  const parts = all.slice(0, MAX_PARTS);
  while (encodeURIComponent(parts.map(encodeURIComponent).join()).length > MAX_CHARACTERS) parts.pop();
  return parts;
}

const modulesToFollow = (apart: Operation["modulesApart"], urn: string, desired: Properties): string[] =>
  (apart.get(urn) ?? []).filter((name) => own(desired, camelCase(name)) === undefined);

/**
 * The modules that keep callers out and that the program declares for an object by resources of their own.
 */
const guardsToFollow = (
  { modulesApart }: Operation,
  urn: string | undefined,
  desired: Properties,
): string[] =>
  urn === undefined
    ? []
    : modulesToFollow(modulesApart, urn, desired).filter((name) => !UNDECIDING_MODULES.includes(name));

/**
 * What keeps callers out and follows an update: modules and, where it adds hostports or takes out what kept
 * callers out, the routes of the edge.
 */
export function updateToFollow(
  operation: Operation,
  { definition, urn }: Pick<Declaring, "definition" | "urn">,
  recorded: Properties,
  desired: Properties,
): string[] {
  if (urn === undefined) return [];
  const isOpening =
    addsHostports(recorded, desired) ||
    modulesLeaving(definition, recorded, desired).some(({ name }) => !UNDECIDING_MODULES.includes(name));
  const routes = isOpening ? (operation.guards.get(urn) ?? []) : [];
  return bounded([...guardsToFollow(operation, urn, desired), ...routes]);
}

/**
 * Recorded properties with the modules that were to leave once other parts are there, if the program declares
 * some of those no longer: a run may have ended before.
 */
export function withLeaving(
  operation: Operation,
  urn: string | undefined,
  recorded: Properties,
  desired: Properties,
): Properties {
  const { __leaving: leaving } = recorded;
  if (!isObject(leaving) || !Array.isArray(leaving.modules) || !Array.isArray(leaving.after)) return recorded;
  const follow = urn === undefined ? [] : partsToFollow(operation, urn, desired);
  if (leaving.after.every((part) => follow.includes(part))) return recorded;
  return { ...Object.fromEntries(leaving.modules.map((name) => [name, {}])), ...recorded };
}
