// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * A named set of rules that say which source addresses may connect. Its rules are objects of their own; deleting a policy deletes them.
 *
 * As the API returns it.
 */
export interface IpPolicy {
  /** Identifier, `ipp_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;
}

/** The body that creates an IP policy. */
export interface IpPolicyCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;
}

/** The body that updates an IP policy; fields left out stay as they are. */
export type IpPolicyUpdate = Partial<IpPolicyCreate>;
