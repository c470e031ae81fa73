import type { Kind } from "./kinds";

/** The kinds that serve hostports. */
export const EDGE_KINDS = ["https_edge", "tls_edge", "tcp_edge"] as const satisfies readonly Kind[];

export type EdgeKind = (typeof EDGE_KINDS)[number];

const kinds: ReadonlySet<string> = new Set(EDGE_KINDS);

export const isEdgeKind = (kind: string): kind is EdgeKind => kinds.has(kind);
