// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * Sends traffic to the first of its backends that can take it.
 *
 * As the API returns it.
 */
export interface FailoverBackend {
  /** Identifier, `bkdfo_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The backends in order of preference. */
  backends: string[];
}

/** The body that creates a failover backend. */
export interface FailoverBackendCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The backends in order of preference. */
  backends?: string[];
}

/** The body that updates a failover backend; fields left out stay as they are. */
export type FailoverBackendUpdate = Partial<FailoverBackendCreate>;
