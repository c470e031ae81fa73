import type { EnforcementLevel, Policies } from "@pulumi/policy";
import { own } from "@tunnelplane/sdk/contract";
import { type ChangeOptions, changePolicies } from "./changes";
import { resourceStandards } from "./resourceStandards";
import { stackStandards } from "./stackStandards";
import { StateBefore } from "./stateBefore";

/** How severe each policy is, by its name; `all` stands for those that are not named. */
export type Levels = Readonly<Record<string, EnforcementLevel>>;

export interface PolicyOptions extends ChangeOptions {
  /** Default: `advisory` for all. Pulumi's own `--policy-pack-config` overrides it. */
  readonly levels?: Levels;
}

/**
 * All policies of this package, for a pack of your own.
 *
 * @throws Error where a level is given to a policy that does not exist
 *
 * @example
 * ```ts
 * new PolicyPack("edges", {
 *   policies: tunnelPolicies({
 *     levels: { "network-opened": "mandatory", "credentials-carry-an-acl": "mandatory" },
 *   }),
 * });
 * ```
 */
export function tunnelPolicies({ levels = {}, ...options }: PolicyOptions = {}): Policies {
  const state = new StateBefore();
  const policies = [...changePolicies(state, options), ...stackStandards, ...resourceStandards(state)];
  const names = policies.map(({ name }) => name);
  const unknown = Object.keys(levels).filter((name) => name !== "all" && !names.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `There is no policy ${unknown.map((name) => `"${name}"`).join(", ")}; policies: ${names.join(", ")}`,
    );
  return policies.map((policy) => ({
    ...policy,
    enforcementLevel: own(levels, policy.name) ?? levels.all ?? "advisory",
  }));
}
