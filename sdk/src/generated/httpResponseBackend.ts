// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * Answers every request with the same response, for example a maintenance page.
 *
 * As the API returns it.
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

  /** Headers of the response. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. */
  headers: Record<string, string>;

  /** The status of the response, 200 to 599. */
  status_code: number;
}

/** The body that creates an HTTP-response backend. */
export interface HttpResponseBackendCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The body of the response. */
  body?: string;

  /** Headers of the response. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. */
  headers?: Record<string, string>;

  /** The status of the response, 200 to 599. Default `200`. */
  status_code?: number;
}

/** The body that updates an HTTP-response backend; fields left out stay as they are. */
export type HttpResponseBackendUpdate = Partial<HttpResponseBackendCreate>;
