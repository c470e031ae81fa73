import { readFileSync } from "node:fs";
import {
  counted,
  createSchema,
  type Definition,
  isObject,
  messageOf,
  registry,
} from "@tunnelplane/sdk/contract";
import type { Wire } from "../core/target";
import type { FieldNames } from "./fitting";
import { type ForeignObject, type ForeignObjects, withInner } from "./foreign";

/** The objects in a state of the hosted service's Terraform provider, by type. */
export function readTerraform(file: string, names: FieldNames = new Map()): ForeignObjects {
  const found: ForeignObject[] = [];
  const leftOut: string[] = [];
  const resources = resourcesIn(file).filter(({ mode }) => mode === "managed");
  const own = new Set(resources.filter(isOfService).map(providerOf));
  const ours = resources.filter((resource) => own.has(providerOf(resource)));
  if (ours.length === 0)
    throw new Error(
      `${file} has no resources of the hosted service's provider, such as an edge or an IP policy`,
    );
  for (const { type, name, instances } of ours) {
    const definition = definitionOf(type);
    for (const { attributes, deposed } of instances) {
      const why =
        definition === undefined ? "there is no such type here" : reasonAgainst(attributes, deposed);
      if (definition === undefined || why !== undefined) leftOut.push(`${type}.${name}: ${why}`);
      else found.push(...withInner(definition, withRoutes(attributes as Wire), createSchema, names, name));
    }
  }
  const others = resources.length - ours.length;
  if (others > 0) leftOut.push(`${counted(others, "resource")} of other providers`);
  return { found, leftOut, isDeclared: true };
}

function reasonAgainst(attributes: Wire | undefined, deposed: unknown): string | undefined {
  if (deposed !== undefined) return "it is deposed: another object has taken its place";
  return typeof attributes?.id === "string" && attributes.id !== "" ? undefined : "its state has no id";
}

/** One of several providers in a state is that of the service: where a type of ours has an id of its form. */
const isOfService = ({ type, instances }: Resource): boolean =>
  definitionOf(type) !== undefined &&
  instances.some(({ attributes }) => /^[a-z]+_[0-9A-Za-z]+$/.test(String(attributes?.id)));

/** Without the module and the alias; a state need not have it, and then the type begins with its name. */
const providerOf = ({ type, provider }: Resource): string =>
  /provider\["([^"]+)"\]/.exec(provider)?.[1] ?? type.slice(0, type.indexOf("_"));

/** Earlier versions of the provider write routes as blocks of their edge. */
const withRoutes = ({ route, ...attributes }: Wire): Wire =>
  Array.isArray(route) && route.length > 0 ? { ...attributes, routes: route } : attributes;

interface Resource {
  readonly mode: string;
  readonly type: string;
  readonly name: string;
  readonly provider: string;
  readonly instances: readonly { readonly attributes?: Wire; readonly deposed?: unknown }[];
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
  const { version, resources = [] } = isObject(read) ? read : {};
  if (version !== 4 || !Array.isArray(resources))
    throw new Error(
      `${file} is not a state of version 4 in clear; expected one: terraform state pull > state.json`,
    );
  return resources.filter(isObject).map(({ mode, type, name, provider = "", instances }) => ({
    mode: String(mode),
    type: String(type),
    name: String(name),
    provider: String(provider),
    instances: (Array.isArray(instances) ? instances : [])
      .filter(isObject)
      .map(({ attributes, deposed }) => ({
        deposed,
        ...(isObject(attributes) && { attributes }),
      })),
  }));
}

/** Resources that the provider calls, or has called, by another name than the API. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  credential: "tunnel_credential",
  edge_https: "https_edge",
  edge_https_route: "https_edge_route",
  edge_tcp: "tcp_edge",
  edge_tls: "tls_edge",
  domain: "reserved_domain",
  tcp_address: "reserved_addr",
  service_user: "bot_user",
};

/** The type without the provider's prefix. */
function definitionOf(type: string): Definition | undefined {
  const own = type.slice(type.indexOf("_") + 1);
  const kind = Object.hasOwn(OTHER_NAMES, own) ? OTHER_NAMES[own] : own;
  return registry.find((one) => one.kind === kind);
}
