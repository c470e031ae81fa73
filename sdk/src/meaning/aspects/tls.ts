import { z } from "zod";
import { moduleOf, type Reading, readModule } from "../judgement/reading";
import { Unservable } from "../judgement/rules/unservable";
import { CLOSED, ending, passing, unsure } from "../judgement/verdicts";
import type { ModelObject } from "../model";
import { textIn } from "../values";
import type { Aspect } from "./aspect";
import { documented, showing } from "./shown";

export interface Tls {
  /** The lowest version that the edge accepts; null if TLS ends upstream, or nobody looks for it. */
  readonly from: string | null;
  readonly ends_at: "edge" | "upstream" | "none";
}

const TLS_DEFAULT: Tls = { from: "1.2", ends_at: "edge" };
const NO_TLS: Tls = { from: null, ends_at: "none" };

export const readTls = (edge: ModelObject): Reading<Tls> =>
  readModule(moduleOf(edge, "tls_termination"), edge.kind === "tcp_edge" ? NO_TLS : TLS_DEFAULT, (fields) =>
    fields.terminate_at === "upstream"
      ? { from: null, ends_at: "upstream" }
      : { from: textIn(fields.min_version) ?? "1.2", ends_at: "edge" },
  );

/** The check of TLS: where it ends, and its lowest version. */
export const tls = {
  of: { tls_edge: true, https_edge: true },
  prepare({ holder, http }) {
    const { value, unknown } = readTls(holder);
    const field = "tls_termination";
    const plain = ending(holder, field, "The connection does not speak TLS.", CLOSED);
    const unrecorded = unsure(holder, field, "The version of TLS is not recorded.");
    const common = unknown && { unknown: "Where TLS ends, and its lowest version, are not known." };
    if (!http && value.ends_at === "upstream") {
      refuseReading(["mutual_tls", "policies"].some((name) => moduleOf(holder, name).state === "on"));
      const through = passing(holder, field, "TLS ends upstream; nothing of it is read here.");
      return { look: (request) => (request.tls === null ? plain : through), predicates: [], ...common };
    }
    const version = value.from === "1.3" ? "1.3" : "1.2";
    const spoken = passing(holder, field, `The caller speaks TLS ${version} or later.`);
    const old = ending(
      holder,
      field,
      `TLS ${version} is asked for, and the caller speaks an older version.`,
      CLOSED,
    );
    return {
      look(request) {
        if (request.tls === null) return plain;
        if (version === "1.2" || request.tls === "1.3") return spoken;
        return request.tls === undefined ? unrecorded : old;
      },
      predicates: [{ dimension: "tls", op: "from", version }],
      ...common,
    };
  },
  shows: showing({
    field: "tls",
    title: "TLS",
    schema: () =>
      documented(
        z.object({
          from: documented(
            z.string().nullable(),
            "The lowest version of TLS; null where the gateway reads none.",
          ),
          ends_at: documented(
            z.enum(["edge", "upstream", "none"]),
            "Where TLS ends; `none` at a TCP edge, which passes bytes on as they are.",
          ),
        }),
        "The lowest version of TLS, and where it ends.",
      ),
    read: ({ holder }) => readTls(holder),
    absent: TLS_DEFAULT,
    exposed: (value: Tls) => value,
    words: ({ ends_at, from }) =>
      ends_at === "edge"
        ? `from ${from}, ends at the edge`
        : ends_at === "upstream"
          ? "ends upstream"
          : "bytes pass as they are",
  }),
} satisfies Aspect<"tls_termination">;

/**
 * @param isRead whether a module of the edge reads what TLS covers up to the upstream
 * @throws Unservable if so
 */
export function refuseReading(isRead: boolean): void {
  if (isRead)
    throw new Unservable(
      "TLS ends upstream, so that neither mutual_tls nor policies can be enforced here: disable them, or terminate at the edge",
    );
}
