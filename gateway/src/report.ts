import type { GatewayReport } from "@tunnelplane/sdk";

type What = Pick<GatewayReport, "sequence" | "edges" | "agents">;

/** The server takes bodies of 1 MiB; some of it is for the versions. */
const MOST_BYTES = 1_048_576 - 2048;
/** The server's limit on one reason, in characters. */
const LONGEST_REASON = 4096;
const IN_LOG = "the gateway's log says why";

/** What fits into one report: each edge with its state, and as many reasons as there is room for. */
export function fitting(what: What): What {
  const edges = what.edges.map((edge) => ({ ...edge, reason: cut(edge.reason) }));
  const bare = { ...what, edges: edges.map((edge) => ({ ...edge, reason: edge.reason && IN_LOG })) };
  let room = MOST_BYTES - Buffer.byteLength(JSON.stringify(bare));
  for (const [index, { reason }] of edges.entries()) {
    room -= Math.max(Buffer.byteLength(JSON.stringify(reason)) - JSON.stringify(IN_LOG).length, 0);
    if (room < 0) return { ...what, edges: [...edges.slice(0, index), ...bare.edges.slice(index)] };
  }
  return { ...what, edges };
}

const cut = (reason: string): string =>
  reason.length <= LONGEST_REASON ? reason : `${reason.slice(0, LONGEST_REASON - 1)}…`;
