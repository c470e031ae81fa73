// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * Spreads traffic over its backends in proportion to their weights.
 *
 * As the API returns it.
 */
export interface WeightedBackend {
  /** Identifier, `bkdwd_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The id of each backend and its weight, 0 to 10000. */
  backends: Record<string, number>;
}

/** The body that creates a weighted backend. */
export interface WeightedBackendCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The id of each backend and its weight, 0 to 10000. */
  backends?: Record<string, number>;
}

/** The body that updates a weighted backend; fields left out stay as they are. */
export type WeightedBackendUpdate = Partial<WeightedBackendCreate>;
