import { type Condition, testsIn } from "./condition";
import { bucketOf } from "./limits";
import { type Action, conditionsOf, onlyLogs, type Policies } from "./policies";
import { Unservable } from "./unservable";

/** One effect of a policy of a TLS edge on connections. */
export interface ConnectionStep {
  readonly type: "deny" | "rate-limit" | "log";
  /** Only `deny` may be conditional. */
  readonly when: Condition;
  readonly config: Action["config"];
  /** Of the action in its policy. */
  readonly index: number;
}

/**
 * The effects of policies on connections of a TLS edge, in order.
 *
 * @throws Unservable if Envoy could not do it
 */
export const connectionSteps = ({ inbound, outbound }: Policies): ConnectionStep[] =>
  [...inbound, ...outbound.map(onlyLogs)].flatMap(({ name, expressions, actions }) => {
    const when = conditionsOf({ expressions });
    return when === false
      ? []
      : actions.map(({ type, config }, index) => ({
          type: typeAt(type, config, when, name),
          when,
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
  if (type === "deny") {
    refuseAskingHttp(when);
    return type;
  }
  if (when !== true)
    throw new Unservable(
      `the policy ${JSON.stringify(policy)} has expressions and the action ${type}; on a TLS edge only deny may be conditional`,
    );
  if (type === "rate-limit") {
    if (config.bucket_key !== undefined)
      throw new Unservable(
        "a rate-limit of a TLS edge has a bucket_key; connections are counted all together there",
      );
    bucketOf(config);
    return type;
  }
  if (type === "log") return type;
  throw new Unservable(
    `the action ${type} works on requests, which a TLS edge does not read: use a route of an HTTPS edge`,
  );
}

function refuseAskingHttp(condition: Condition): void {
  if (testsIn(condition).some(({ input }) => input !== "client_ip" && input !== "sni"))
    throw new Unservable(
      "an expression asks about HTTP, which a TLS edge does not read: it may ask about conn.client_ip and conn.tls.sni",
    );
}
