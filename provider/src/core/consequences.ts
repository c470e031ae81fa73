import { type Definition, modulesOf } from "@tunnelplane/sdk/contract";
import type { Wire } from "./target";

/**
 * What a change of one resource alone means that a reviewer must not overlook, in sentences with field names in backticks.
 * Only what changes is told: what was so before was told before.
 *
 * @param before what was declared, as it is sent; empty for what is new
 */
export function consequencesOf(definition: Definition, before: Wire, after: Wire, isUnknown: (value: unknown) => boolean): string[] {
  const known = (name: string) => after[name] !== undefined && !isUnknown(after[name]);
  return [
    ...(definition.fields.acl && known("acl") ? widened(before.acl as string[] | undefined, after.acl as string[]) : []),
    ...(definition.fields.cidr && known("cidr") && after.action === "allow" && after.cidr !== before.cidr
      ? opened(after.cidr as string)
      : []),
    ...(definition.kind === "weighted_backend" && known("backends") ? stopped(before.backends as Weights, after.backends as Weights) : []),
    ...modulesOf(definition).flatMap((name) => switchedOff(name, before[name] as Module, after[name] as Module)),
    // A module that is a resource of its own.
    ...(definition.fields.enabled ? switchedOff(undefined, before, after) : []),
  ];
}

type Weights = Readonly<Record<string, unknown>> | undefined;
type Module = { readonly enabled?: unknown } | undefined;

function widened(before: readonly string[] | undefined, after: readonly string[]): string[] {
  if (after.includes("*") && !before?.includes("*")) return ['`acl` holds "*": whoever has the credential may bind everything'];
  if (after.length === 0 && before && before.length > 0 && !before.includes("*"))
    return ["`acl` is empty now: whoever has the credential may bind everything"];
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
  sendsNowhere(after) && !sendsNowhere(before) ? ["`backends` has weights of 0 only: traffic goes nowhere"] : [];

function switchedOff(name: string | undefined, before: Module, after: Module): string[] {
  const wasOn = before !== undefined && Object.keys(before).length > 0 && before.enabled !== false;
  if (after?.enabled === false && (wasOn || before?.enabled === undefined))
    return [
      name === undefined ? "`enabled` is false: the module does nothing" : `\`${name}\` has \`enabled\` false: the module does nothing`,
    ];
  if (name === "mutual_tls" && wasOn && after === undefined) return ["`mutual_tls` is gone: no client certificate is asked for any more"];
  return [];
}
