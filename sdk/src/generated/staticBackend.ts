// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/** TLS towards the address. */
export interface StaticBackendTls {
  /** Whether to speak TLS to it. */
  enabled: boolean;
}

/**
 * Sends traffic to a fixed address.
 *
 * As the API answers it.
 */
export interface StaticBackend {
  /** Identifier, `bkdsc_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** Where the traffic goes: `<host>:<port>`. */
  address: string;

  /** TLS towards the address. */
  tls: StaticBackendTls;
}

/** What `tls` holds. */
export interface StaticBackendTlsReplace {
  /** Whether to speak TLS to it. Default `false`. */
  enabled?: boolean;
}

/** What a new static backend is made from. */
export interface StaticBackendCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** Where the traffic goes: `<host>:<port>`. */
  address: string;

  /** TLS towards the address. Default `{"enabled":false}`. */
  tls?: StaticBackendTlsReplace;
}

/** What of a static backend can be changed; what is left out stays as it is. */
export type StaticBackendUpdate = Partial<StaticBackendCreate>;
