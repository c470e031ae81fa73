import { camelCase, type Definition } from "@tunnelplane/sdk/contract";
import { UNKNOWN } from "@tunnelplane/sdk/meaning";
import type { Everything } from "../core/everything";
import { Lifecycle } from "../core/lifecycle";
import { targetOf } from "../core/target";
import { same } from "../core/values";
import { isObject, type PreviewStep, type State } from "./preview";
import { SECRET, typeIn } from "./resources";
import { ourSteps, type Worlds, worldsOf } from "./worlds";

/** A resource as the engine tells a policy pack of it. */
export interface DeclaredResource {
  readonly urn: string;
  /** URNs under which it was known before. */
  readonly aliases?: readonly string[];
  /** What is not known yet is `UNKNOWN` of `@tunnelplane/sdk/meaning`. What the server computed may be among them. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** The URNs that each property rests on. */
  readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The worlds before and after a change of a stack, where no preview is at hand: from what its state records and from
 * what its program declares.
 *
 * @param server the objects of the server, so that what is outside of the stack is seen as well
 */
export function worldsOfStack(recorded: readonly State[], declared: readonly DeclaredResource[], server?: Everything): Worlds {
  const before = new Map(recorded.filter(({ delete: leaves, urn }) => !leaves && typeIn(urn)).map((state) => [state.urn, covered(state)]));
  const met = new Set<string>();
  const steps = declared.flatMap((resource): PreviewStep[] => {
    const type = typeIn(resource.urn);
    if (!type) return [];
    const old = [resource.urn, ...(resource.aliases ?? [])].map((urn) => before.get(urn)).find((state) => state !== undefined);
    if (old) met.add(old.urn);
    return [stepOf(resource, old, type.kind, type.definition)];
  });
  for (const oldState of before.values()) if (!met.has(oldState.urn)) steps.push({ op: "delete", urn: oldState.urn, oldState });
  const preview = { steps, missing: 0 };
  return worldsOf(preview, ourSteps(preview), server);
}

function stepOf({ urn, properties, propertyDependencies }: DeclaredResource, old: State | undefined, kind: string, definition: Definition) {
  // What the server chose is told as if it were declared.
  const isChosen = (name: string) => old?.inputs?.[name] === undefined && same(old?.outputs?.[name], properties[name]);
  const fields = Object.keys(definition.fields).map(camelCase);
  const inputs = Object.fromEntries(fields.filter((name) => !isChosen(name)).map((name) => [name, properties[name]]));
  const newState = { urn, id: idIn(properties.uri), inputs, propertyDependencies };
  if (!old) return { op: "create", urn, newState };
  const { changes, replaces } = new Lifecycle(targetOf(kind)).plan({ ...old.inputs }, inputs, (value) => value === UNKNOWN);
  // A secret that the state keeps encrypted cannot be compared.
  const replaced = replaces.some((name) => !holdsSecret(old.inputs?.[name]));
  return { op: replaced ? "replace" : changes ? "update" : "same", urn, oldState: old, newState };
}

/** In a run, a resource that is made has told its address by the time that all are judged. */
const idIn = (uri: unknown): string | undefined => (typeof uri === "string" && uri !== UNKNOWN ? uri.split("/").at(-1) : undefined);

/** How a state marks a secret. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";

const holdsSecret = (value: unknown): boolean =>
  value === SECRET || (typeof value === "object" && value !== null && Object.values(value).some(holdsSecret));

/** With its secrets as a preview prints them. */
function covered(state: State): State {
  const cover = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(cover);
    if (!isObject(value)) return value;
    return SIGNATURE in value ? SECRET : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cover(one)]));
  };
  return { ...state, inputs: cover(state.inputs ?? {}) as State["inputs"], outputs: cover(state.outputs ?? {}) as State["outputs"] };
}
