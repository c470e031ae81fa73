import { EXCHANGED_KEY_S } from "@tunnelplane/sdk/contract";
import { sql } from "kysely";
import { ACME_TIMES } from "../acme";
import { DEVICE_MS, LOGIN_MS } from "../auth";
import { CLOCKS_MS } from "../events";
import { CLAIM_MS } from "../exposure";
import { KEPT_OUT_MS } from "../gateways";
import type { Store } from "../storage";

/** A stored time that something waits for. */
interface StoredTime {
  readonly table: string;
  readonly column: string;
  /** How far ahead it may lie, in milliseconds. */
  readonly ahead: number;
  /** What it becomes where it lies further ahead: the moment itself, or the greatest distance from it. */
  readonly becomes: "now" | "ahead";
  /** `text`: RFC 3339; `ms`: milliseconds since 1970. */
  readonly as: "text" | "ms";
  /** Whose clock it was written by. Default: a server's. */
  readonly clock?: "database";
  /** A column that may lie at any distance, and that this one may repeat. */
  readonly mayBe?: string;
}

/**
 * Every stored time that makes something wait, but for those of deliveries, which `events/` repairs. A server
 * whose clock was ahead has left some in the future; without a repair, they would hold until that time comes.
 */
export const WAITED_FOR: readonly StoredTime[] = [
  { table: "acme_order", column: "next_at", ahead: ACME_TIMES.pause, becomes: "now", as: "ms" },
  { table: "acme_placed", column: "placed_at", ahead: 0, becomes: "now", as: "ms" },
  { table: "acme_certificate", column: "unused_since", ahead: 0, becomes: "now", as: "ms" },
  {
    ...{ table: "acme_lease", column: "until", ahead: ACME_TIMES.lease, becomes: "ahead", as: "ms" },
    clock: "database",
  },
  {
    ...{ table: "guarantee_state", column: "due_at", ahead: CLAIM_MS, becomes: "now", as: "ms" },
    ...{ clock: "database", mayBe: "ends_at" },
  },
  { table: "ended_session", column: "ended_at", ahead: 0, becomes: "now", as: "ms" },
  { table: "ended_session", column: "kept_out_until", ahead: KEPT_OUT_MS, becomes: "ahead", as: "ms" },
  { table: "gateway", column: "last_seen", ahead: 0, becomes: "now", as: "text" },
  {
    table: "exchanged_key",
    column: "expires_at",
    ahead: EXCHANGED_KEY_S.most * 1000,
    becomes: "ahead",
    as: "text",
  },
  { table: "session", column: "expires_at", ahead: LOGIN_MS, becomes: "ahead", as: "text" },
  { table: "login", column: "expires_at", ahead: DEVICE_MS, becomes: "ahead", as: "text" },
  { table: "idempotency_key", column: "created_at", ahead: 0, becomes: "now", as: "text" },
  { table: "key_use", column: "hour", ahead: 0, becomes: "now", as: "text" },
];

/** Brings back what lies further ahead than any server whose clock is right would put it. */
export async function bringBackTimes(store: Store): Promise<void> {
  const ofDatabase = await store.now();
  for (const time of WAITED_FOR) {
    const { table, column, ahead, becomes, as, clock, mayBe } = time;
    const from = clock === "database" ? ofDatabase : Date.now();
    const written = (ms: number) => (as === "text" ? new Date(ms).toISOString() : ms);
    const isFar = sql`${sql.ref(column)} > ${written(from + ahead + CLOCKS_MS)} ${
      mayBe === undefined
        ? sql``
        : sql`and (${sql.ref(mayBe)} is null or ${sql.ref(column)} <> ${sql.ref(mayBe)})`
    }`;
    const found = sql`select 1 from ${sql.table(table)} where ${isFar} limit 1`;
    if ((await found.execute(store.reader)).rows.length === 0) continue;
    const put = written(becomes === "now" ? from : from + ahead);
    await store.write((transaction) =>
      sql`update ${sql.table(table)} set ${sql.ref(column)} = ${put} where ${isFar}`.execute(transaction),
    );
  }
}
