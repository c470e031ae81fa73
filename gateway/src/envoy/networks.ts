import type { IpPolicyRule, Ref } from "@tunnelplane/sdk";
import { plainAddress } from "@tunnelplane/sdk/contract";
import {
  admittedBy,
  EVERYONE,
  isEveryone,
  type NetworkSet,
  networksIn,
  type RestrictedType,
  refuseUnknownAction,
} from "@tunnelplane/sdk/rules";
import { grouped, onceForEach } from "./indexes";
import type { Json } from "./json";
import type { Objects } from "./model";

interface IpRestriction {
  readonly enabled: boolean;
  readonly ip_policies: readonly Ref[];
}

/** The rules of policies, by the policy's id. */
export const byPolicy = onceForEach((rules: readonly IpPolicyRule[]) =>
  grouped(rules, ({ ip_policy }) => [ip_policy.id]),
);

/** The rules of an enabled module's policies. */
export function rulesOf(
  module: IpRestriction | null,
  { ip_policy_rule }: Objects,
): readonly IpPolicyRule[] | undefined {
  if (!module?.enabled) return undefined;
  const policies = new Set(module.ip_policies.map(({ id }) => id));
  const rules = [...policies].flatMap((id) => byPolicy(ip_policy_rule).get(id) ?? []);
  for (const { action, id } of rules) refuseUnknownAction(action, id);
  return rules;
}

/** The networks that restrictions of a type admit; undefined where none is enforced. */
export const admittedTo = (type: RestrictedType, objects: Objects): NetworkSet | undefined =>
  admittedBy(type, objects.ip_restriction, (policy) => byPolicy(objects.ip_policy_rule).get(policy) ?? []);

/** The networks that restrictions of all edges admit: every network, where none is enforced. */
export const everywhereIn = onceForEach(
  (objects: Objects): NetworkSet => admittedTo("endpoints", objects) ?? EVERYONE,
);

/** The source addresses that may send requests to a route, as a principal of RBAC. */
export function networksOf(module: IpRestriction | null, objects: Objects): Json | undefined {
  const [own, everywhere] = [ownNetworks(module, objects), everywhereIn(objects)];
  if (isEveryone(everywhere)) return own;
  const all = networksIn(everywhere);
  const principal = all.length === 0 ? NOBODY : among(all);
  return own ? { and_ids: { ids: [own, principal] } } : principal;
}

const NOBODY: Json = { not_id: { any: true } };
const among = (cidrs: readonly string[]): Json => ({
  or_ids: { ids: cidrs.map((cidr) => ({ remote_ip: cidrRange(cidr) })) },
});

/** The networks that an enabled module allows, without those that it denies. */
function ownNetworks(module: IpRestriction | null, objects: Objects): Json | undefined {
  const rules = rulesOf(module, objects);
  if (!rules) return undefined;
  const of = (action: string) =>
    rules
      .filter((rule) => rule.action === action)
      .map(({ cidr }) => cidr)
      .sort();
  const [allowed, denied] = [of("allow"), of("deny")];
  if (allowed.length === 0) return NOBODY;
  if (denied.length === 0) return among(allowed);
  return { and_ids: { ids: [among(allowed), { not_id: among(denied) }] } };
}

/** A network for Envoy, in its one form. */
export const cidrRange = (cidr: string): Json => rangeAsWritten(plainAddress(cidr));

/** A network for Envoy, in the form in which it is written. */
export function rangeAsWritten(cidr: string): Json {
  const [address, length] = cidr.split("/");
  return { address_prefix: address, prefix_len: Number(length) };
}
