// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * Sends traffic to every tunnel that carries all of its labels.
 *
 * As the API answers it.
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

  /** The labels that a tunnel has to carry: your own keys and values, without `=`. */
  labels: Record<string, string>;
}

/** What a new tunnel-group backend is made from. */
export interface TunnelGroupBackendCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The labels that a tunnel has to carry: your own keys and values, without `=`. */
  labels: Record<string, string>;
}

/** What of a tunnel-group backend can be changed; what is left out stays as it is. */
export type TunnelGroupBackendUpdate = Partial<TunnelGroupBackendCreate>;
