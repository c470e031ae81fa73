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

  /** What the application speaks. `http1` and `http2` are always used. `auto`: with TLS what it chooses (ALPN), and without HTTP/2 for gRPC alone. TLS edges offer callers `http/1.1`, `h2`, or for `auto` either. Default `auto`. */
  protocol: "auto" | "http1" | "http2";

  /** After how many seconds without a byte in either direction a request, a WebSocket or a connection is ended, 1 to 86,400. Default 300. */
  idle_timeout: number;
}

/** The body that creates a tunnel-group backend. */
export interface TunnelGroupBackendCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The labels that a tunnel must have: your own keys and values, without `=`. */
  labels: Record<string, string>;

  /** What the application speaks. `http1` and `http2` are always used. `auto`: with TLS what it chooses (ALPN), and without HTTP/2 for gRPC alone. TLS edges offer callers `http/1.1`, `h2`, or for `auto` either. Default `auto`. */
  protocol?: "auto" | "http1" | "http2";

  /** After how many seconds without a byte in either direction a request, a WebSocket or a connection is ended, 1 to 86,400. Default 300. */
  idle_timeout?: number;
}

/** The body that updates a tunnel-group backend; fields left out stay as they are. */
export type TunnelGroupBackendUpdate = Partial<TunnelGroupBackendCreate>;
