/** The kept states of guarantees. */

import type { Kysely } from "kysely";
import {
  type Database,
  type GuaranteeStateRow,
  isAmong,
  isListed,
  partsOf,
  pipelined,
  statement,
} from "../../storage";

/** A state as readers need it. */
export type KeptRow = Pick<
  GuaranteeStateRow,
  "guarantee_id" | "touched" | "judged" | "state" | "judged_at" | "ports" | "ends_at"
>;

export async function keptStates(db: Kysely<Database>, ids: readonly string[]): Promise<KeptRow[]> {
  const rows = await pipelined(partsOf(ids).map((part) => keptByIds(db, { ids: part })));
  return rows.flat().map((row) => ({
    ...row,
    touched: Number(row.touched),
    judged: Number(row.judged),
    ends_at: row.ends_at === null ? null : Number(row.ends_at),
  }));
}

const keptByIds = statement<{ ids: string }, KeptRow>((db, parameter) =>
  db
    .selectFrom("guarantee_state")
    .select(["guarantee_id", "touched", "judged", "state", "judged_at", "ports", "ends_at"])
    .where(isListed(db, "guarantee_id", parameter("ids"))),
);

/** The first project after another one that has states to judge. @param now in milliseconds since 1970 */
export const nextDue = statement<{ after: string; now: number }, { project_id: string }>((db, parameter) =>
  db
    .selectFrom("guarantee_state")
    .select("project_id")
    .where("project_id", ">", parameter("after"))
    .where("due_at", "<=", parameter("now"))
    .orderBy("project_id")
    .limit(1),
);

/** A guarantee whose state is due. */
export interface DueRow {
  readonly guarantee_id: string;
  readonly touched: number;
  readonly document: string;
}

/** Those of a project that have waited longest. */
export const dueIn = statement<{ project: string; now: number; limit: number }, DueRow>((db, parameter) =>
  db
    .selectFrom("guarantee_state")
    .innerJoin("resource", "resource.id", "guarantee_state.guarantee_id")
    .select(["guarantee_id", "touched", "document"])
    .where("guarantee_state.project_id", "=", parameter("project"))
    .where("due_at", "<=", parameter("now"))
    .orderBy("judged_at")
    .orderBy("guarantee_id")
    .limit(parameter("limit")),
);

/** Takes those of a list that are still due, until another server may. */
export const claim = statement<{ ids: string; now: number; until: number }, { guarantee_id: string }>(
  (db, parameter) =>
    db
      .updateTable("guarantee_state")
      .set({ due_at: parameter("until") })
      .where(isListed(db, "guarantee_id", parameter("ids")))
      .where("due_at", "<=", parameter("now"))
      .returning("guarantee_id"),
);

interface Judged {
  readonly id: string;
  readonly judged: number;
  readonly state: string;
  readonly judged_at: string;
  readonly ports: string;
  readonly ends_at: number | null;
}

/** Keeps a state. It is due again at once if a change touched it since, else when something ends. */
export const keep = statement<Judged, unknown>((db, parameter) =>
  db
    .updateTable("guarantee_state")
    .set((row) => ({
      judged: parameter("judged"),
      state: parameter("state"),
      judged_at: parameter("judged_at"),
      ports: parameter("ports"),
      ends_at: parameter("ends_at"),
      due_at: row
        .case()
        .when("touched", "=", parameter("judged"))
        .then(row.cast<number | null>(row.val(parameter("ends_at")), "bigint"))
        .else(0)
        .end(),
    }))
    .where("guarantee_id", "=", parameter("id"))
    .where("judged", "<=", parameter("judged")),
);

/** Touches all states that were judged with other ports. In the order of ids, to avoid deadlocks. */
export const touchOfOtherPorts = statement<{ ports: string }, unknown>((db, parameter) =>
  db
    .updateTable("guarantee_state")
    .set((row) => ({ touched: row("touched", "+", 1), due_at: 0 }))
    .where(
      isAmong(
        db,
        "guarantee_id",
        db
          .selectFrom("guarantee_state")
          .select("guarantee_id")
          .where("ports", "!=", parameter("ports"))
          .orderBy("guarantee_id")
          .forUpdate(),
      ),
    ),
);
