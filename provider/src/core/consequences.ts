import { type Definition, isObject, modulesOf } from "@tunnelplane/sdk/contract";
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
    ...(definition.fields.acl && known("acl") ? widened(before.acl, after.acl) : []),
    ...(definition.fields.cidr && known("cidr") && after.action === "allow" && after.cidr !== before.cidr
      ? opened(String(after.cidr))
      : []),
    ...(definition.kind === "weighted_backend" && known("backends")
      ? stopped(before.backends, after.backends)
      : []),
    ...modulesOf(definition).flatMap((name) => switchedOff(name, before[name], after[name])),
    // The resource is a module itself.
    ...(definition.fields.enabled ? switchedOff(undefined, before, after) : []),
  ];
}

function widened(before: unknown, after: unknown): string[] {
  if (!Array.isArray(after)) return [];
  const bindsAll = Array.isArray(before) && before.includes("*");
  if (after.includes("*") && !bindsAll) return ['`acl` holds "*": the credential may bind everything'];
  if (after.length === 0 && Array.isArray(before) && before.length > 0 && !bindsAll)
    return ["`acl` is empty now: the credential may bind everything"];
  return [];
}

function opened(cidr: string): string[] {
  if (!cidr.endsWith("/0")) return [];
  return [`\`cidr\` is ${cidr}: every ${cidr.includes(":") ? "IPv6" : "IPv4"} address is let in`];
}

const sendsNowhere = (weights: unknown): boolean => {
  const all = isObject(weights) ? Object.values(weights) : [];
  return all.length > 0 && all.every((weight) => weight === 0);
};

const stopped = (before: unknown, after: unknown): string[] =>
  sendsNowhere(after) && !sendsNowhere(before)
    ? ["`backends` has weights of 0 only: traffic goes nowhere"]
    : [];

function switchedOff(name: string | undefined, before: unknown, after: unknown): string[] {
  const was = isObject(before) ? before : {};
  const wasOn = Object.keys(was).length > 0 && was.enabled !== false;
  if (isObject(after) && after.enabled === false && (wasOn || was.enabled === undefined))
    return [
      name === undefined
        ? "`enabled` is false: the module does nothing"
        : `\`${name}\` has \`enabled\` false: the module does nothing`,
    ];
  if (name === "mutual_tls" && wasOn && after === undefined)
    return ["`mutual_tls` is removed: the edge no longer asks for a client certificate"];
  return [];
}
