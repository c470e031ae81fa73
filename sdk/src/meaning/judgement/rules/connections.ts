import {
  beyond,
  EVERYONE,
  inBoth,
  masked,
  type NetworkSet,
  NOBODY,
  networkSet,
  unionOf,
} from "../../networks/networkSet";
import { type Condition, knowing } from "./condition";
import { bucketOf } from "./limits";
import { type Action, conditionsOf, onlyLogs, type Policies } from "./policies";
import { Unservable } from "./unservable";

/** The edges that pass connections on. */
export type ConnectionEdge = "tls_edge" | "tcp_edge";

/** One effect of a policy of a TLS or TCP edge on connections. */
export interface ConnectionStep {
  readonly type: "deny" | "rate-limit" | "log";
  /** Only `deny` may be conditional. */
  readonly when: Condition;
  /** The callers for whom the condition holds. */
  readonly from: NetworkSet;
  readonly config: Action["config"];
  /** Of the action in its policy. */
  readonly index: number;
}

/**
 * The effects of policies on connections, in order.
 *
 * @param host of the hostport, which may begin with `*.`
 * @throws Unservable if Envoy could not do it
 */
export const connectionSteps = (
  { inbound, outbound }: Policies,
  edge: ConnectionEdge,
  host: string,
): ConnectionStep[] =>
  [...inbound, ...outbound.map(onlyLogs)].flatMap(({ name, expressions, actions }) => {
    const when = conditionsOf({ expressions });
    return when === false
      ? []
      : actions.map(({ type, config }, index) => ({
          type: typeAt(type, config, when, name),
          when,
          from: type === "deny" ? callersOf(when, edge, host) : EVERYONE,
          config,
          index,
        }));
  });

function typeAt(
  type: string,
  config: Action["config"],
  when: Condition,
  policy: string,
): ConnectionStep["type"] {
  if (type === "deny") return type;
  if (when !== true)
    throw new Unservable(
      `the policy ${JSON.stringify(policy)} has expressions and the action ${type}; on a TLS or TCP edge only deny may be conditional`,
    );
  if (type === "rate-limit") {
    if (config.bucket_key !== undefined)
      throw new Unservable(
        "a rate-limit of a TLS or TCP edge has a bucket_key; connections are counted all together there",
      );
    bucketOf(config);
    return type;
  }
  if (type === "log") return type;
  throw new Unservable(
    `the action ${type} works on requests, which a TLS or TCP edge does not read: use a route of an HTTPS edge`,
  );
}

/**
 * The callers for whom a condition holds. They are turned away before the backend is asked for anything: one
 * that speaks first, as databases and mail servers do, would have spoken already when a filter of Envoy acts,
 * which is at the caller's first byte.
 */
function callersOf(condition: Condition, edge: ConnectionEdge, host: string): NetworkSet {
  const isName = edge === "tls_edge" && !host.startsWith("*.");
  return networksWhere(isName ? knowing(condition, "sni", host) : condition, edge);
}

function networksWhere(condition: Condition, edge: ConnectionEdge): NetworkSet {
  if (typeof condition === "boolean") return condition ? EVERYONE : NOBODY;
  if ("not" in condition) return beyond(EVERYONE, networksWhere(condition.not, edge));
  if ("all" in condition)
    return condition.all.map((member) => networksWhere(member, edge)).reduce(inBoth, EVERYONE);
  if ("any" in condition) return unionOf(condition.any.map((member) => networksWhere(member, edge)));
  if ("cidr" in condition.test) return networkSet([masked(condition.test.cidr)]);
  throw new Unservable(cannotAsk(condition.input, edge));
}

function cannotAsk(input: unknown, edge: ConnectionEdge): string {
  if (input === "client_ip")
    return "an expression looks for a text in conn.client_ip, which a connection cannot be asked before its backend: use inCidrRange, == or in";
  if (input !== "sni")
    return `an expression asks about HTTP, which ${edge === "tls_edge" ? "a TLS edge" : "a TCP edge"} does not read: it may ask about conn.client_ip${edge === "tls_edge" ? " and conn.tls.sni" : ""}`;
  return edge === "tls_edge"
    ? "an expression asks about conn.tls.sni at a wildcard, where a connection cannot be asked for its name before its backend: add the name as a hostport"
    : "an expression asks about conn.tls.sni, and connections over TCP say no name: it may ask about conn.client_ip";
}
