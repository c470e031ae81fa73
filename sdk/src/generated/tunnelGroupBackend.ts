// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * Sends traffic to every tunnel that has all of these labels.
 *
 * As the API returns it.
 */
export interface TunnelGroupBackend {
  /** Identifier, `bkdtg_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The labels that a tunnel must have: your own keys and values, without `=`. */
  labels: Record<string, string>;
}

/** The body that creates a tunnel-group backend. */
export interface TunnelGroupBackendCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The labels that a tunnel must have: your own keys and values, without `=`. */
  labels: Record<string, string>;
}

/** The body that updates a tunnel-group backend; fields left out stay as they are. */
export type TunnelGroupBackendUpdate = Partial<TunnelGroupBackendCreate>;
