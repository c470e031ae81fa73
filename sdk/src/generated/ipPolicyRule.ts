// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { Ref } from "../client/ref";

/**
 * Allows or denies one network within an IP policy.
 *
 * As the API returns it.
 */
export interface IpPolicyRule {
  /** Identifier, `ipr_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The network, with its mask and without host bits. Each network is unique in its policy. */
  cidr: string;

  /** The policy that the rule belongs to. Set at creation only. */
  ip_policy: Ref;

  /** Whether the network may connect. Set at creation only. */
  action: "allow" | "deny";

  /** When it ends (RFC 3339), in the future by the server's clock. From then on the rule allows nothing; it stays, with `expired` true. Only rules that allow take one: what ends closes, and never opens. Default null: never. May be changed, also to null. */
  expires_at: string | null;

  /** Whether `expires_at` has passed, by the server's clock when it answers. */
  expired: boolean;
}

/** The body that creates an IP policy rule. */
export interface IpPolicyRuleCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The network, with its mask and without host bits. Each network is unique in its policy. */
  cidr: string;

  /** The policy that the rule belongs to. Set at creation only. */
  ip_policy_id: string;

  /** Whether the network may connect. Set at creation only. */
  action: "allow" | "deny";

  /** When it ends (RFC 3339), in the future by the server's clock. From then on the rule allows nothing; it stays, with `expired` true. Only rules that allow take one: what ends closes, and never opens. Default null: never. May be changed, also to null. */
  expires_at?: string | null;
}

/** The body that updates an IP policy rule; fields left out stay as they are. */
export type IpPolicyRuleUpdate = Partial<Omit<IpPolicyRuleCreate, "ip_policy_id" | "action">>;
