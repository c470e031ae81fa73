// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/** TLS to the address. */
export interface StaticBackendTls {
  /** Whether to connect to the address with TLS. */
  enabled: boolean;
}

/**
 * Sends traffic to a fixed address.
 *
 * As the API returns it.
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

  /** The address that gets the traffic: `<host>:<port>`. */
  address: string;

  /** TLS to the address. */
  tls: StaticBackendTls;

  /** What the application speaks. `http1` and `http2` are always used. `auto`: with TLS what it chooses (ALPN), and without HTTP/2 for gRPC alone. TLS edges offer callers `http/1.1`, `h2`, or for `auto` either. Default `auto`. */
  protocol: "auto" | "http1" | "http2";

  /** After how many seconds without a byte in either direction a request, a WebSocket or a connection is ended, 1 to 86,400. Default 300. */
  idle_timeout: number;
}

/** The fields of `tls`. */
export interface StaticBackendTlsReplace {
  /** Whether to connect to the address with TLS. Default `false`. */
  enabled?: boolean;
}

/** The body that creates a static backend. */
export interface StaticBackendCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The address that gets the traffic: `<host>:<port>`. */
  address: string;

  /** TLS to the address. Default `{"enabled":false}`. */
  tls?: StaticBackendTlsReplace;

  /** What the application speaks. `http1` and `http2` are always used. `auto`: with TLS what it chooses (ALPN), and without HTTP/2 for gRPC alone. TLS edges offer callers `http/1.1`, `h2`, or for `auto` either. Default `auto`. */
  protocol?: "auto" | "http1" | "http2";

  /** After how many seconds without a byte in either direction a request, a WebSocket or a connection is ended, 1 to 86,400. Default 300. */
  idle_timeout?: number;
}

/** The body that updates a static backend; fields left out stay as they are. */
export type StaticBackendUpdate = Partial<StaticBackendCreate>;
