import {
  camelCase,
  type Definition,
  definitionNamed,
  KINDS,
  pascalCase,
  TCP_PORT,
} from "@tunnelplane/sdk/contract";
import { classIn, type Properties, toWire } from "../core";
import type { RecordedResource } from "./stateBackend";

/** No value of a program has it. */
const NOT_KNOWN = "\0";
/** The scope of hostports: a run moves them from one edge to another. */
const HOSTPORT = "hostport";

export const isHostport = ({ scope }: Claim): boolean => scope === HOSTPORT;

/** A value of a resource that no other one may hold at the same time. */
export interface Claim {
  /** Equal for equal values in the same scope. */
  readonly id: string;
  /** The scope and the value as the contract compares it. */
  readonly scope: string;
  readonly key: string;
  /** The property, in the spelling of programs. */
  readonly property: string;
  readonly value: string;
}

/** The unique values that properties claim, as far as they are known. */
export function claimsOf(
  definition: Definition,
  properties: Properties,
  isUnknown: (value: unknown) => boolean,
): Claim[] {
  const known = Object.fromEntries(
    Object.entries(toWire(definition, properties)).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.filter((item) => !isUnknown(item)) : isUnknown(value) ? NOT_KNOWN : value,
    ]),
  );
  return keysOf(definition, known)
    .filter(({ scope, key }) => !`${scope}${key}`.includes(NOT_KNOWN))
    .map(({ scope, key, path: [field = "", ...rest] }) => ({
      id: idOf(scope, key),
      scope,
      key,
      property: camelCase(String(field)),
      value: String(rest.reduce((value, part) => (value as Properties)[String(part)], known[String(field)])),
    }));
}

const idOf = (scope: string, key: string): string => JSON.stringify([scope, key]);

function keysOf(definition: Definition, known: Properties): ReturnType<Definition["unique"]> {
  try {
    return definition.unique(known).map((claim) => ({ ...claim })); // a key may be made when it is read
  } catch {
    return []; // a value that they are made of is not known, or encrypted
  }
}

/** A resource in the state, with the unique value that it holds there. */
export interface Holder {
  readonly claim: Claim;
  readonly definition: Definition;
  readonly resource: RecordedResource;
}

/**
 * Those of one provider, by their claims.
 *
 * @param isHere whether a resource belongs to the provider: that of another may be on another server
 */
export function holdersIn(
  recorded: readonly RecordedResource[],
  isHere: (resource: RecordedResource) => boolean,
): Map<string, Holder> {
  const kinds = new Map<string, (typeof KINDS)[number]>(KINDS.map((kind) => [pascalCase(kind), kind]));
  const holders = new Map<string, Holder>();
  for (const resource of recorded) {
    const kind = kinds.get(classIn(resource.type) ?? "");
    if (kind === undefined || resource.delete || !isHere(resource)) continue;
    const definition = definitionNamed(kind);
    const properties = { ...resource.inputs, ...resource.outputs };
    for (const claim of claimsOf(definition, properties, () => false))
      holders.set(claim.id, { claim, definition, resource });
  }
  return holders;
}

/** Whether a run moves a value from one resource to another: a hostport, and the port of one. */
export const movesBy = ({ scope, value }: Claim, isHeldThere: (id: string) => boolean): boolean =>
  scope === HOSTPORT || (scope === TCP_PORT && isHeldThere(idOf(HOSTPORT, value.toLowerCase())));
