import { type Definition, modulesOf } from "@tunnelplane/sdk/contract";
import type { Wire } from "./target";

/**
 * The dangerous effects of a change to one resource, in sentences with field names in backticks. Only new
 * effects are listed: an earlier run warned of the others.
 *
 * @param before the properties declared before, in wire names; empty for a new resource
 */
export function consequencesOf(
  definition: Definition,
  before: Wire,
  after: Wire,
  isUnknown: (value: unknown) => boolean,
): string[] {
  const known = (name: string) => after[name] !== undefined && !isUnknown(after[name]);
  return [
    ...(definition.fields.acl && known("acl")
      ? widened(before.acl as string[] | undefined, after.acl as string[])
      : []),
    ...(definition.fields.cidr && known("cidr") && after.action === "allow" && after.cidr !== before.cidr
      ? opened(after.cidr as string)
      : []),
    ...(definition.kind === "weighted_backend" && known("backends")
      ? stopped(before.backends as Weights, after.backends as Weights)
      : []),
    ...modulesOf(definition).flatMap((name) =>
      switchedOff(name, before[name] as Module, after[name] as Module),
    ),
    // The resource is a module itself.
    ...(definition.fields.enabled ? switchedOff(undefined, before, after) : []),
  ];
}

type Weights = Readonly<Record<string, unknown>> | undefined;
type Module = { readonly enabled?: unknown } | undefined;

function widened(before: readonly string[] | undefined, after: readonly string[]): string[] {
  if (after.includes("*") && !before?.includes("*"))
    return ['`acl` holds "*": the credential may bind everything'];
  if (after.length === 0 && before && before.length > 0 && !before.includes("*"))
    return ["`acl` is empty now: the credential may bind everything"];
  return [];
}

function opened(cidr: string): string[] {
  if (!cidr.endsWith("/0")) return [];
  return [`\`cidr\` is ${cidr}: every ${cidr.includes(":") ? "IPv6" : "IPv4"} address is let in`];
}

const sendsNowhere = (weights: Weights): boolean => {
  const all = Object.values(weights ?? {});
  return all.length > 0 && all.every((weight) => weight === 0);
};

const stopped = (before: Weights, after: Weights): string[] =>
  sendsNowhere(after) && !sendsNowhere(before)
    ? ["`backends` has weights of 0 only: traffic goes nowhere"]
    : [];

function switchedOff(name: string | undefined, before: Module, after: Module): string[] {
  const wasOn = before !== undefined && Object.keys(before).length > 0 && before.enabled !== false;
  if (after?.enabled === false && (wasOn || before?.enabled === undefined))
    return [
      name === undefined
        ? "`enabled` is false: the module does nothing"
        : `\`${name}\` has \`enabled\` false: the module does nothing`,
    ];
  if (name === "mutual_tls" && wasOn && after === undefined)
    return ["`mutual_tls` is removed: the edge no longer asks for a client certificate"];
  return [];
}
