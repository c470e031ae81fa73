import type { Kysely } from "kysely";
import type { Keyring } from "../secrets";
import type { Database } from "../storage";
import type { Faults } from "./faults";
import { type InInbox, isFromServer, laneText } from "./inbox";
import { OF_NO_OBJECT } from "./rows";

const PAGE = 50; // a row may have two megabytes

/** Checks the order of each lane: its numbers begin at 1, and each row has the next. */
export class LaneOrder {
  readonly #last = new Map<string, number>();

  /** @param isPartial whether the first rows are elsewhere: then a lane may begin with any number */
  constructor(private readonly isPartial = false) {}

  /** @param lane `<lane>:<k>` @param label of the row, for people. Returns its fault, if it has one */
  faultOf(lane: string, label: string): string | undefined {
    const end = lane.lastIndexOf(":");
    const [id, k] = [lane.slice(0, end), Number(lane.slice(end + 1))];
    const last = this.#last.get(id) ?? (this.isPartial ? k - 1 : 0);
    this.#last.set(id, Math.max(last, k));
    if (k <= last) return `${label} repeats a row before it, or changed places with one`;
    if (k > last + 1)
      return `before ${label} ${k === last + 2 ? "a row is" : `${k - last - 1} rows are`} missing, which the same server wrote: removed from the inbox, or moved behind it`;
    return undefined;
  }
}

/** The last row about an object in the inbox. */
export interface InboxEntry {
  readonly n: number;
  readonly isDeleted: boolean;
  readonly digest: string | null;
}

export interface InboxFound {
  /** Number of rows. */
  readonly rows: number;
  /** By the object's id. There are few: a sequencer soon moves them. */
  readonly latest: ReadonlyMap<string, InboxEntry>;
}

/** Checks the rows that wait in the inbox. @param lanes as the log left them */
export async function verifyInbox(
  db: Kysely<Database>,
  keyring: Keyring,
  lanes: LaneOrder,
  faults: Faults,
): Promise<InboxFound> {
  const latest = new Map<string, InboxEntry>();
  let rows = 0;
  for (let after = 0; ; ) {
    const page = (await db
      .selectFrom("inbox")
      .selectAll()
      .where("n", ">", after)
      .orderBy("n")
      .limit(PAGE)
      .execute()) as InInbox[];
    for (const row of page) {
      rows++;
      after = row.n;
      const label = `row ${row.n} of the inbox`;
      if (!(await isFromServer(db, keyring, row))) {
        faults.add(
          `${label} was added or changed: no server that has the master key wrote it in this form. It is not delivered`,
        );
        continue;
      }
      const fault = lanes.faultOf(laneText(row), label);
      if (fault) faults.add(fault);
      if (OF_NO_OBJECT.includes(row.action)) continue;
      latest.set(row.object_id, {
        n: row.n,
        isDeleted: row.action.endsWith("_deleted"),
        digest: row.object_digest,
      });
    }
    if (page.length < PAGE) return { rows, latest };
  }
}
