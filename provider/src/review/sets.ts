import { isDeepStrictEqual } from "node:util";
import { createSchema, definitionNamed, isObject, own, registry, rename } from "@tunnelplane/sdk/contract";
import { nameIn, tokenIn } from "../core/urn";
import { typeToken } from "../host/typeToken";
import type { Preview, PreviewStep, State } from "./preview";
import { SECRET } from "./resources";

const TOKENS = [typeToken("CatalogueSet"), "tunnelplane:index:CatalogueSet"];

type Objects = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The same preview, with a step for each object of a `CatalogueSet` in the place of its own: as if a program
 * declared them one by one.
 */
export function withObjectsOfSets(preview: Preview): Preview {
  const sets = preview.steps.filter(({ urn }) => isSet(urn));
  if (sets.length === 0) return preview;
  return {
    ...preview,
    steps: preview.steps.flatMap((step) => (isSet(step.urn) ? stepsOf(step, sets.length > 1) : [step])),
  };
}

/**
 * Whether a changed set holds secrets: the engine hides the values, and does not say which of them differ.
 */
export const hidesSecrets = ({ steps }: Preview): boolean =>
  steps.some(
    ({ op, urn, newState }) =>
      op !== "same" && isSet(urn) && JSON.stringify(newState?.inputs ?? {}).includes(SECRET),
  );

const isSet = (urn: string): boolean => TOKENS.includes(tokenIn(urn));

/** @param named whether the names of objects have that of their set before them, because there are several */
function stepsOf({ op, urn, oldState, newState }: PreviewStep, named: boolean): PreviewStep[] {
  const [was, is] = [objectsIn(oldState), op.startsWith("delete") ? {} : objectsIn(newState)];
  const ids = isObject(oldState?.outputs?.ids) ? oldState.outputs.ids : {};
  const idOf = (name: string) => {
    const id = own(ids, name);
    return typeof id === "string" ? id : undefined;
  };
  const urnOf = (name: string) => urnIn(urn, name, named);
  const stateOf = (
    name: string,
    objects: Objects,
    state: State | undefined,
    refer: (name: string) => string,
  ): State | undefined => {
    const fields = own(objects, name);
    if (!fields || !state) return undefined;
    const { provider, stackTrace } = state;
    const id = idOf(name);
    const wire = withReferences(fields, refer);
    const inputs = isObject(wire)
      ? rename(createSchema(definitionNamed(kindIn(name))), wire, "camelCase")
      : {};
    return {
      urn: urnOf(name),
      ...(id !== undefined && { id }),
      ...(provider !== undefined && { provider }),
      stackTrace,
      declaredBy: urn,
      inputs,
    };
  };
  const refer = (name: string) => idOf(name) ?? urnOf(name);
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(isKnown).map((name) => {
    const [before, after] = [stateOf(name, was, oldState, refer), stateOf(name, is, newState, refer)];
    return {
      op: !after
        ? "delete"
        : !before
          ? "create"
          : isDeepStrictEqual(before.inputs, after.inputs)
            ? "same"
            : "update",
      urn: urnOf(name),
      ...(before && { oldState: before }),
      ...(after && { newState: after }),
    };
  });
}

function objectsIn(state: State | undefined): Objects {
  const { objects } = state?.inputs ?? {};
  return isObject(objects) ? (objects as Objects) : {};
}

const kindIn = (name: string): string => name.slice(0, name.indexOf("/"));
const isKnown = (name: string): boolean => registry.some(({ kind }) => kind === kindIn(name));

/** The URN of an object, as if it were a resource below its set. */
function urnIn(set: string, name: string, named: boolean): string {
  const [stack, project, type] = set.split("::");
  const key = name.slice(name.indexOf("/") + 1);
  return [
    stack,
    project,
    `${type}$${typeToken(definitionNamed(kindIn(name)).type)}`,
    named ? `${nameIn(set)}/${key}` : key,
  ].join("::");
}

/** Fields in which other objects of the set are named by id, or by URN while they have none. */
function withReferences(value: unknown, refer: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, refer));
  if (!isObject(value)) return value;
  if (typeof value.$key === "string" && Object.keys(value).length === 1) return refer(value.$key);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name.startsWith("$key:") ? refer(name.slice("$key:".length)) : name,
      withReferences(item, refer),
    ]),
  );
}
