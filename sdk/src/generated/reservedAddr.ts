// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * Keeps an address with a port for its project. The server chooses a free port of its `--tcp-ports`.
 *
 * As the API returns it.
 */
export interface ReservedAddr {
  /** Identifier, `ra_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** Stored as sent, for programs that name one. Set at creation only. */
  region: string;

  /** The address, `<host>:<port>`: the host of the server's `--tcp-address`, and a port of its `--tcp-ports` that was free. */
  addr: string;
}

/** The body that creates a reserved address. */
export interface ReservedAddrCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** Stored as sent, for programs that name one. Set at creation only. */
  region?: string;
}

/** The body that updates a reserved address; fields left out stay as they are. */
export type ReservedAddrUpdate = Partial<Omit<ReservedAddrCreate, "region">>;
