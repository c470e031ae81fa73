import type { AuditEventRow } from "../../server/src/storage/schema";
import { rowsIn, settled } from "../support/databases";

/** The whole audit log, oldest first, once every committed change is in it. */
export async function auditRows(data: string): Promise<AuditEventRow[]> {
  await settled(data);
  const rows = (await rowsIn(data, "select * from audit_event order by sequence")) as AuditEventRow[];
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
}
