import {
  asDeclared,
  camelCase,
  createSchema,
  type Definition,
  exchangedSecrets,
  isObject,
  mapSecrets,
  moduleAsResource,
  modulesOf,
  present,
  referencesIn,
  registry,
  secretPathsOf,
  targetsOf,
} from "@tunnelplane/sdk/contract";
import { UNKNOWN, type WorldObject } from "@tunnelplane/sdk/meaning";
import { withEnd } from "../core/renewal";
import { nameIn, tokenIn } from "../core/urn";
import { toWire } from "../core/values";
import { typeToken } from "../host/typeToken";
import type { PreviewStep, State } from "./preview";

/** The type of a resource of this package. */
export interface ResourceType {
  /** `tls_edge`, or `tls_edge.mutual_tls`. */
  readonly kind: string;
  readonly definition: Definition;
  /** For a module: the fields that name its object. */
  readonly owner?: Definition;
}

/** As the dynamic provider names types, and as a native one does. */
const tokensOf = (type: string): string[] => [typeToken(type), `tunnelplane:index:${type}`];

const types = new Map<string, ResourceType>(
  registry.flatMap((definition) => [
    ...tokensOf(definition.type).map((token): [string, ResourceType] => [
      token,
      { kind: definition.kind, definition: asDeclared(definition) },
    ]),
    ...modulesOf(definition).flatMap((module) =>
      tokensOf(definition.type + camelCase(`_${module}`)).map((token): [string, ResourceType] => [
        token,
        {
          kind: `${definition.kind}.${module}`,
          definition: moduleAsResource(definition, module),
          owner: definition,
        },
      ]),
    ),
  ]),
);

/** The type for the engine's type token, if it is one of this package. */
export const typeOf = (token: string): ResourceType | undefined => types.get(token);

/** The type in a URN. The types of parents come before it. */
export const typeIn = (urn: string): ResourceType | undefined => typeOf(tokenIn(urn));

/** The engine's placeholder for a secret. */
export const SECRET = "[secret]";

/** Fields that the server computes, by kind. */
const WORKED_OUT: Readonly<Record<string, readonly string[]>> = {
  certificate_authority: ["subject_common_name", "not_after"],
  ssh_user_certificate: ["valid_after", "valid_until"],
  ssh_host_certificate: ["valid_after", "valid_until"],
};

/** Turns a resource of a preview into an object of a world. */
export function objectOf(
  { kind, definition }: ResourceType,
  state: State,
  { urn, id, known, isMade }: Where,
): WorldObject {
  const declared = Object.fromEntries(
    Object.entries(state.inputs ?? {}).filter(([name]) => !name.startsWith("__")),
  );
  const wire = toWire(definition, withEnd(definition, known ?? {}, declared));
  const workedOut = (WORKED_OUT[kind] ?? []).flatMap((name) => {
    const value = known?.[camelCase(name)];
    return value === undefined || value === SECRET || value === UNKNOWN ? [] : [[name, value] as const];
  });
  const open = mapSecrets(definition, { ...Object.fromEntries(workedOut), ...wire }, () => undefined);
  const pending = Object.entries(state.propertyDependencies ?? {}).map(
    ([name, urns]) => [name, urns.filter((urn) => !isMade(urn))] as const,
  );
  const fields = withReferences(definition, withoutSecrets(open), new Map(pending));
  return { kind, urn, ...(id !== undefined && { id }), name: nameIn(urn), stack: stackIn(urn), fields };
}

/** The resources to which references of an object will lead whose ids are not known yet. */
export function awaitedBy(
  { definition }: ResourceType,
  { fields }: WorldObject,
  { propertyDependencies = {} }: State,
): string[] {
  const open = new Set(
    referencesIn(createSchema(definition), fields).flatMap(({ id, path }) =>
      id === UNKNOWN ? [camelCase(String(path[0]))] : [],
    ),
  );
  return Object.entries(propertyDependencies).flatMap(([name, urns]) => (open.has(name) ? urns : []));
}

/** The secrets that have another value: the engine hides the values, but says which properties differ. */
export function newSecretsOf({ definition }: ResourceType, step: Omit<PreviewStep, "op" | "urn">): string[] {
  const { oldState, newState, detailedDiff } = step;
  const differing = new Set(Object.keys(detailedDiff ?? {}));
  const changedSecrets = secretPathsOf(definition).filter((path) =>
    differing.has(path.split(".").map(camelCase).join(".")),
  );
  const readable = (state: State | undefined) =>
    mapSecrets(definition, toWire(definition, { ...state?.inputs }), (secret) =>
      secret === SECRET ? undefined : secret,
    );
  return [
    ...new Set([...changedSecrets, ...exchangedSecrets(definition, readable(oldState), readable(newState))]),
  ];
}

interface Where {
  readonly urn: string;
  readonly id?: string;
  /** The recorded fields of the same object. */
  readonly known?: State["outputs"];
  /** Whether the resource of a URN has an id already, so that references to it hold the id. */
  readonly isMade: (urn: string) => boolean;
}

/** The same text for all resources of a stack. */
const stackIn = (urn: string): string => urn.split("::").slice(0, 2).join("::");

/** Secret values are unknown here. */
function withoutSecrets(value: unknown): Readonly<Record<string, unknown>> {
  const cover = (item: unknown): unknown => {
    if (item === SECRET) return UNKNOWN;
    if (Array.isArray(item)) return item.map(cover);
    return isObject(item) ? mapped(item) : item;
  };
  const mapped = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cover(value)]));
  return isObject(value) ? mapped(value) : {};
}

/** Replaces ids that are not known yet by URNs, if it is certain which belongs where. */
function withReferences(
  definition: Definition,
  fields: WorldObject["fields"],
  pending: ReadonlyMap<string, readonly string[]>,
): WorldObject["fields"] {
  // A list or map that is not known as a whole may hold anything.
  const open = referencesIn(createSchema(definition), fields).filter(
    ({ id, path, isKey }) =>
      id === UNKNOWN && !isKey && (typeof path.at(-1) === "number" || String(path.at(-1)).endsWith("_id")),
  );
  const copy = open.length > 0 ? structuredClone(fields) : fields;
  for (const property of new Set(open.map(({ path }) => String(path[0])))) {
    const paths = open.filter(({ path }) => path[0] === property);
    const kinds = new Set<string>(
      paths.flatMap(({ reference }) => targetsOf(reference.to).map(({ kind }) => kind)),
    );
    const urns = (pending.get(camelCase(property)) ?? []).filter((urn) => kinds.has(typeIn(urn)?.kind ?? ""));
    // The order of several is unknown, and it matters in a failover.
    if (urns.length !== paths.length || (definition.kind === "failover_backend" && paths.length > 1))
      continue;
    for (const [index, { path }] of paths.entries()) put(copy, path, present(urns[index]));
  }
  return copy;
}

function put(value: WorldObject["fields"], path: readonly PropertyKey[], urn: string): void {
  const at = path
    .slice(0, -1)
    .reduce<Record<PropertyKey, unknown>>(
      (found, name) => found[name] as Record<PropertyKey, unknown>,
      value as Record<string, unknown>,
    );
  at[present(path.at(-1))] = urn;
}
