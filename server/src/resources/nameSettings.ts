/** How the server gives names and addresses away. */
export interface NameSettings {
  /** The name to which CNAME records of reserved domains should lead. */
  readonly cnameTarget?: string;
  /** Whether a hostport needs a reserved domain. Default: false. */
  readonly requireReservedDomains?: boolean;
  /** The host of reserved addresses. */
  readonly tcpAddress: string;
  /** The ports of reserved addresses. */
  readonly tcpPorts: PortRange;
}

/** Ports, both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}
