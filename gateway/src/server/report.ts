import type { GatewayReport } from "@tunnelplane/sdk";
import { messageOf } from "@tunnelplane/sdk/contract";

/** A gateway's report, without the versions. */
export type Status = Pick<GatewayReport, "sequence" | "edges" | "agents">;

/** The server takes reports of 16 MiB; some of it is for the versions. */
const MAX_BYTES = 16 * 1_048_576 - 2048;
/** The server's limit on one reason, in characters. */
const MAX_REASON_LENGTH = 4096;
const IN_LOG = "the gateway's log says why";
/** A report without news shows that the gateway is alive. */
const UNCHANGED_MS = 30_000;
/** The shortest time between two reports, also after one that failed. */
const CHANGED_MS = 1000;

/** Reports to the server, one report at a time. */
export class Reporter {
  #isSending = false;
  #last = { text: "", at: 0 };

  constructor(
    private readonly send: (status: Status) => Promise<void>,
    private readonly warn: (message: string) => void,
  ) {}

  /** Sends the status if it is new, or if the last report is half a minute old. */
  offer(status: Status): void {
    const text = JSON.stringify(status);
    const now = Date.now();
    const wait = text === this.#last.text ? UNCHANGED_MS : CHANGED_MS;
    if (this.#isSending || now - this.#last.at < wait) return;
    this.#isSending = true;
    this.#last = { text, at: now };
    this.send(fitting(status))
      .catch((error) => {
        this.#last.text = "";
        this.warn(`the gateway's report did not reach the server: ${messageOf(error)}`);
      })
      .finally(() => {
        this.#isSending = false;
      });
  }
}

/** The part that fits into one report: each edge with its state, and as many reasons as there is room for. */
function fitting(status: Status): Status {
  const edges = status.edges.map((edge) => ({ ...edge, reason: cut(edge.reason) }));
  const bare = { ...status, edges: edges.map((edge) => ({ ...edge, reason: edge.reason && IN_LOG })) };
  let room = MAX_BYTES - Buffer.byteLength(JSON.stringify(bare));
  for (const [index, { reason }] of edges.entries()) {
    room -= Math.max(Buffer.byteLength(JSON.stringify(reason)) - JSON.stringify(IN_LOG).length, 0);
    if (room < 0) return { ...status, edges: [...edges.slice(0, index), ...bare.edges.slice(index)] };
  }
  return { ...status, edges };
}

const cut = (reason: string): string =>
  reason.length <= MAX_REASON_LENGTH ? reason : `${reason.slice(0, MAX_REASON_LENGTH - 1)}…`;
