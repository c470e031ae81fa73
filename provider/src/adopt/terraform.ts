import { readFileSync } from "node:fs";
import {
  createSchema,
  type Definition,
  elementOf,
  fieldsOf,
  isObject,
  messageOf,
  registry,
} from "@tunnelplane/sdk/contract";
import type { z } from "zod";
import type { Wire } from "../core/target";
import type { ForeignObjects } from "./foreign";

/** The objects in a state of the hosted service's Terraform provider, by type. */
export function readTerraform(file: string): ForeignObjects {
  const found: { definition: Definition; answer: Wire; name: string }[] = [];
  const leftOut: string[] = [];
  for (const { mode, type, name, instances } of resourcesIn(file)) {
    if (mode !== "managed") continue;
    const definition = definitionOf(type);
    for (const { attributes } of instances)
      if (definition === undefined) leftOut.push(`${type}.${name}: there is no such type here`);
      else found.push({ definition, answer: declaredIn(definition, attributes), name });
  }
  return { found, leftOut, isDeclared: true };
}

interface Resource {
  readonly mode: string;
  readonly type: string;
  readonly name: string;
  readonly instances: readonly { readonly attributes: Wire }[];
}

function resourcesIn(file: string): Resource[] {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    // Keep the file's content out of the message, because a state holds secrets.
    const why = error instanceof SyntaxError ? "it is not JSON" : messageOf(error);
    throw new Error(`${file} cannot be read: ${why}; expected a state: terraform state pull > state.json`);
  }
  const resources = isObject(read) ? read.resources : undefined;
  if (!Array.isArray(resources))
    throw new Error(`${file} has no \`resources\`; expected a state: terraform state pull > state.json`);
  return resources.filter(isObject).map(({ mode, type, name, instances }) => ({
    mode: String(mode),
    type: String(type),
    name: String(name),
    instances: (Array.isArray(instances) ? instances : []).filter(
      (one): one is { attributes: Wire } => isObject(one) && isObject(one.attributes),
    ),
  }));
}

/** Resources that the provider calls by another name than the API. */
const OTHER_NAMES: Readonly<Record<string, string>> = { credential: "tunnel_credential" };

/** The type without the provider's prefix. */
function definitionOf(type: string): Definition | undefined {
  const own = type.slice(type.indexOf("_") + 1);
  const kind = OTHER_NAMES[own] ?? own;
  return registry.find((one) => one.kind === kind);
}

/** With its id, which others refer to, and what cannot be kept here, which is reported. */
const declaredIn = (definition: Definition, attributes: Wire): Wire => ({
  ...Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null && !isEmpty(value))),
  ...(asAnswer(createSchema(definition), attributes) as Wire),
});

const isEmpty = (value: unknown): boolean => value === "" || (Array.isArray(value) && value.length === 0);

/** A state has blocks as lists, and what was not declared as empty. */
function asAnswer(schema: z.ZodType | undefined, value: unknown): unknown {
  const fields = schema && fieldsOf(schema);
  if (fields) {
    const one = Array.isArray(value) ? value[0] : value;
    if (!isObject(one)) return undefined;
    const known = new Map(fields);
    return Object.fromEntries(
      Object.entries(one)
        .map(([name, field]) => [name, asAnswer(known.get(name), field)])
        .filter(([, field]) => field !== undefined),
    );
  }
  if (value === null || isEmpty(value)) return undefined;
  const element = schema && elementOf(schema);
  if (element && Array.isArray(value)) return value.map((one) => asAnswer(element, one));
  return value;
}
