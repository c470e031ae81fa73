/** Something that gateways see. */
export interface Observed {
  /** PascalCase name: of its type, and in functions of the provider. */
  readonly type: string;
  /** The name in sentences. */
  readonly title: string;
  /** Its purpose, in a few sentences. */
  readonly doc: string;
  /** The path of its list. */
  readonly path: string;
  /** The key of the list in answers. */
  readonly listKey: string;
  /** The prefix of its ids, without the underscore. */
  readonly idPrefix: string;
}

export const OBSERVED = {
  endpoint: {
    type: "Endpoint",
    title: "endpoint",
    doc: "The hostports that gateways serve: one endpoint for each, however many gateways serve it.",
    path: "/endpoints",
    listKey: "endpoints",
    idPrefix: "ep",
  },
  tunnel: {
    type: "Tunnel",
    title: "tunnel",
    doc: "What agents have bound: one tunnel for each hostport, or for each set of labels. Members see those of their own credentials.",
    path: "/tunnels",
    listKey: "tunnels",
    idPrefix: "tn",
  },
  tunnel_session: {
    type: "TunnelSession",
    title: "tunnel session",
    doc: "The agents that are connected and have bound something. Members see and end those of their own credentials.",
    path: "/tunnel_sessions",
    listKey: "tunnel_sessions",
    idPrefix: "ts",
  },
} as const satisfies Readonly<Record<string, Observed>>;

export type ObservedKind = keyof typeof OBSERVED;
