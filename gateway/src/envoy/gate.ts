import type { IpPolicyRule } from "@tunnelplane/sdk";
import {
  beyond,
  type ConnectionStep,
  EVERYONE,
  inBoth,
  isEveryone,
  isNobody,
  masked,
  type NetworkSet,
  networkSet,
  networksIn,
  unionOf,
} from "@tunnelplane/sdk/rules";
import { Unservable } from "./model";

/**
 * Whom an edge admits: of the networks that a caller is in, the smallest decides. Envoy looks at it when it
 * chooses a chain: its filters for connections wait for the caller's first byte, and by then a backend that
 * speaks first has spoken (Envoy 1.40; tests/gateway/serverFirst.full.test.ts).
 */
export interface Gate {
  /** In CIDR notation. */
  readonly admitted: readonly string[];
  /** All others, in CIDR notation. */
  readonly refused: readonly string[];
}

/** Each takes a place in a chain, for each hostport. Leaving one IPv6 address out of a network takes 128. */
const MAX_NETWORKS = 10_000;

/**
 * @param rules of the policies that admit callers; undefined if everybody may come
 * @param steps of the edge's policies
 * @param everywhere whom restrictions of all edges admit
 * @returns undefined if everybody is admitted
 * @throws Unservable for more networks than a chain takes
 */
export function gateOf(
  rules: readonly Pick<IpPolicyRule, "action" | "cidr">[] | undefined,
  steps: readonly ConnectionStep[],
  everywhere: NetworkSet,
): Gate | undefined {
  const having = (action: string) =>
    networkSet((rules ?? []).filter((rule) => rule.action === action).map(({ cidr }) => masked(cidr)));
  const allowed = inBoth(rules ? having("allow") : EVERYONE, everywhere);
  const denied = unionOf([
    having("deny"),
    ...steps.flatMap(({ type, from }) => (type === "deny" ? [from] : [])),
  ]);
  if (isNobody(denied) && isEveryone(allowed)) return undefined;
  const [all, refused] = [networksIn(allowed), networksIn(denied)];
  if (all.length + refused.length > MAX_NETWORKS)
    throw new Unservable(
      `its policies come to ${all.length + refused.length} networks, and an edge has at most ${MAX_NETWORKS}: use fewer rules`,
    );
  // One within a refused network would be the smaller of both, and decide.
  const admitted = all.filter((one) => !isNobody(beyond(networkSet([one]), denied)));
  const others = networksIn(EVERYONE).filter((one) => !admitted.includes(one) && !refused.includes(one));
  return { admitted, refused: [...refused, ...others] };
}
