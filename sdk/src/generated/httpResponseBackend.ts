// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * Answers every request with the same response, for example a maintenance page.
 *
 * As the API answers it.
 */
export interface HttpResponseBackend {
  /** Identifier, `bkdhr_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The body of the response. */
  body: string;

  /** Headers of the response. */
  headers: Record<string, string>;

  /** The status of the response. */
  status_code: number;
}

/** What a new HTTP-response backend is made from. */
export interface HttpResponseBackendCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The body of the response. */
  body?: string;

  /** Headers of the response. */
  headers?: Record<string, string>;

  /** The status of the response. Default `200`. */
  status_code?: number;
}

/** What of an HTTP-response backend can be changed; what is left out stays as it is. */
export type HttpResponseBackendUpdate = Partial<HttpResponseBackendCreate>;
