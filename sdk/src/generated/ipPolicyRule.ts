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
}

/** The body that updates an IP policy rule; fields left out stay as they are. */
export type IpPolicyRuleUpdate = Partial<Omit<IpPolicyRuleCreate, "ip_policy_id" | "action">>;
