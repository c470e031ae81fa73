import type * as pulumi from "@pulumi/pulumi";
import { objectsIn } from "./objects";

/** Denying rules of a policy that are created side by side. Who waits for all names the last of each lane. */
const LANES = 8;

interface Denial {
  readonly rule: pulumi.Resource;
  readonly parent: pulumi.Resource | undefined;
}

/** The rules that deny, by the resource of their policy. */
const denials = new WeakMap<object, Denial[]>();

/** Remembers a policy of the program, or one of its rules that denies. */
export function noteDenials(
  kind: string,
  resource: pulumi.Resource,
  args: object,
  { dependsOn, parent }: pulumi.ResourceOptions,
): void {
  if (kind === "ip_policy") denials.set(resource, []);
  // A rule that waits for something else might wait for what waits for this.
  const [policy, ...others] = isDenial(kind, args) && dependsOn === undefined ? objectsIn(args) : [];
  if (policy && others.length === 0) denials.get(policy)?.push({ rule: resource, parent });
}

/**
 * What a resource waits for that lets callers in: the rules that deny some of them. Otherwise these would get
 * in until their rules are created, and while everything is deleted.
 *
 * @returns undefined where it names no policy of the program
 */
export function denialsBefore(
  kind: string,
  args: object,
  { parent }: pulumi.ResourceOptions,
): Promise<pulumi.Resource[]> | undefined {
  const policies = [...new Set(objectsIn(args))].filter((object) => denials.has(object));
  if (policies.length === 0) return undefined;
  // A parent of its own could wait for what waits for the rule.
  const own = (policy: object) => (denials.get(policy) ?? []).filter((one) => one.parent === parent);
  const isOneMore = isDenial(kind, args);
  const before = async () => {
    if (!isOneMore) await new Promise(setImmediate); // first let the program declare all of them
    // A denial waits for the one as many before it, so that the last of each lane stands for all.
    const named = (rules: readonly Denial[]) => (isOneMore ? (rules.at(-LANES) ?? []) : rules.slice(-LANES));
    return policies.flatMap((policy) => named(own(policy))).map(({ rule }) => rule);
  };
  return before();
}

const isDenial = (kind: string, args: object): boolean =>
  kind === "ip_policy_rule" && "action" in args && args.action === "deny";
