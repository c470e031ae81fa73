import { camelCase, type Definition, isObject, own } from "@tunnelplane/sdk/contract";
import { UNKNOWN } from "@tunnelplane/sdk/meaning";
import type { Everything } from "../core/everything";
import { Lifecycle } from "../core/lifecycle";
import { targetOf } from "../core/target";
import { SIGNATURE } from "../core/urn";
import { same } from "../core/values";
import type { PreviewStep, State } from "./preview";
import { SECRET, typeIn } from "./resources";
import { ourSteps, type Worlds, worldsOf } from "./worlds";

/** A resource in the form in which the engine passes it to policy packs. */
export interface DeclaredResource {
  readonly urn: string;
  /** Its earlier URNs. */
  readonly aliases?: readonly string[];
  /**
   * Declared properties, and maybe computed ones. Values that are not known yet are `UNKNOWN` of
   * `@tunnelplane/sdk/meaning`.
   */
  readonly properties: Readonly<Record<string, unknown>>;
  /** The URNs that each property depends on. */
  readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The worlds before and after a change of a stack, made from its state and its declared resources instead of
 * a preview.
 *
 * @param server the objects of the server, to include those outside of the stack
 */
export function worldsOfStack(
  recorded: readonly State[],
  declared: readonly DeclaredResource[],
  server?: Everything,
): Worlds {
  const before = new Map(
    recorded
      .filter(({ delete: leaves, urn }) => !leaves && typeIn(urn))
      .map((state) => [state.urn, covered(state)]),
  );
  const met = new Set<string>();
  const steps = declared.flatMap((resource): PreviewStep[] => {
    const type = typeIn(resource.urn);
    if (!type) return [];
    const old = [resource.urn, ...(resource.aliases ?? [])]
      .map((urn) => before.get(urn))
      .find((state) => state !== undefined);
    if (old) met.add(old.urn);
    return [stepOf(resource, old, type.kind, type.definition)];
  });
  for (const oldState of before.values())
    if (!met.has(oldState.urn)) steps.push({ op: "delete", urn: oldState.urn, oldState });
  const preview = { steps, missing: 0 };
  return worldsOf(preview, ourSteps(preview), server);
}

function stepOf(
  { urn, properties, propertyDependencies }: DeclaredResource,
  old: State | undefined,
  kind: string,
  definition: Definition,
) {
  // The engine lists values that the server chose among the declared ones; leave them out.
  const isChosen = (name: string) =>
    own(old?.inputs, name) === undefined && same(own(old?.outputs, name), own(properties, name));
  const fields = Object.keys(definition.fields).map(camelCase);
  const inputs = Object.fromEntries(
    fields.filter((name) => !isChosen(name)).map((name) => [name, own(properties, name)]),
  );
  const newState = { urn, id: idIn(properties.uri), inputs, propertyDependencies };
  if (!old) return { op: "create", urn, newState };
  const { changes, replaces } = new Lifecycle(targetOf(kind)).plan(
    { ...old.inputs },
    inputs,
    (value) => value === UNKNOWN,
  );
  // A secret that the state keeps encrypted cannot be compared.
  const replaced = replaces.some((name) => !holdsSecret(own(old.inputs, name)));
  return { op: replaced ? "replace" : changes ? "update" : "same", urn, oldState: old, newState };
}

/** In a run, a created resource has its address by the time that all resources are judged. */
const idIn = (uri: unknown): string | undefined =>
  typeof uri === "string" && uri !== UNKNOWN ? uri.split("/").at(-1) : undefined;

const holdsSecret = (value: unknown): boolean =>
  value === SECRET || (typeof value === "object" && value !== null && Object.values(value).some(holdsSecret));

/** With its secrets as a preview prints them. */
function covered(state: State): State {
  const cover = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(cover);
    if (!isObject(value)) return value;
    return SIGNATURE in value ? SECRET : coverEach(value);
  };
  const coverEach = (properties: Readonly<Record<string, unknown>> = {}) =>
    Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, cover(value)]));
  return { ...state, inputs: coverEach(state.inputs), outputs: coverEach(state.outputs) };
}
