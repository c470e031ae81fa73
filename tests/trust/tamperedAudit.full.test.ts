import { hashOf } from "../../server/src/journal/rows";
import type { AuditEventRow } from "../../server/src/storage/schema";
import { unknownId } from "../support/api/expect";
import { contentOf, execute, onEveryDatabase, type Row } from "../support/databases";
import { refusedBeside } from "../support/refusal";
import type { Rest } from "../support/rest";
import { run, type ServerProcess } from "../support/server";
import { expectTold, expectWhole, headOf, insert, unguard, update } from "./attacks/forger";
import { auditRows } from "./auditRows";

const ROWS = 12;
const change = (sequence: number, values: Row) => update("audit_event", values, `sequence = ${sequence}`);

onEveryDatabase("The audit log", (start, database) => {
  let server: ServerProcess;
  let rest: Rest;
  let data: string;
  before("start a server and change some objects", async () => {
    data = await database.create();
    server = await start({ data });
    rest = server.rest;
    for (let index = 1; index < ROWS; index++)
      await rest.post("/ip_policies", { description: `policy ${index}` });
    expect(await auditRows(data)).to.have.length(ROWS); // the first row is the admin's API key
  });
  afterEach("find the log whole again", () => expectWhole(data));

  const expectEach = async (found: Readonly<Record<string, RegExp>>) => {
    await unguard(data);
    for (const [statements, words] of Object.entries(found)) await expectTold(data, statements, words);
  };

  it("is complete if nobody touched it, and verify prints its head", async () => {
    const { code, out } = await run(data, "audit", "verify");
    const head = await headOf(data);
    expect(code).to.equal(0);
    expect(out).to.include(`${ROWS} rows`).and.to.include(`${head.sequence}:${head.hash}`);
  });

  it("refuses changes and removals of rows by any program", async () => {
    const before = await contentOf(data);
    await refusedBeside({
      refused: [
        "update audit_event set action = 'nothing' where sequence = 3",
        "update audit_event set changed = changed",
        "delete from audit_event where sequence = 3",
        "delete from audit_event",
        ...(data.startsWith("postgres:") ? ["truncate audit_event"] : []),
      ].map((statement) => () => execute(data, statement).then(() => "changed")),
      as: /append-only/,
      allowed: () => execute(data, "update event set type = type").then(() => "changed"),
      allowedAs: "changed",
    });
    expect(await contentOf(data)).to.deep.equal(before);
  });

  it("shows that a row was changed, in any column", async () => {
    // Another number would move the row.
    const { sequence: _, ...row } = (await auditRows(data))[5] as AuditEventRow;
    const changes = Object.entries(row).map(([name, value]) => [
      change(6, { [name]: value === null ? "x" : `${String(value).slice(0, -1)}~` }),
      /row 6 /,
    ]);
    const cleared = ["key_id", "client", "object_id", "event_id"].map((name) => [
      change(6, { [name]: null }),
      /row 6 was changed/,
    ]);
    await expectEach(Object.fromEntries([...changes, ...cleared]));
  });

  it("shows that rows were removed: from its beginning, its middle or its end", () =>
    expectEach({
      "delete from audit_event where sequence = 1": /rows 1 to 1 are missing/,
      "delete from audit_event where sequence in (4, 5)": /rows 4 to 5 are missing/,
      "delete from audit_event where sequence > 9": /ends with row 9, but it was written up to row 12/,
      "delete from audit_event": /ends with row 0, but it was written up to row 12/,
      "delete from audit_head": /The end of the audit log .* was removed/,
    }));

  it("shows that rows were swapped, or that the gap of a removed row was closed", () => {
    const moved = (from: number, to: number) => change(from, { sequence: to });
    const closed = Array.from({ length: ROWS - 5 }, (_, index) => moved(index + 6, index + 5)).join("");
    return expectEach({
      [moved(4, 0) + moved(7, 4) + moved(0, 7)]: /row 4 does not follow row 3/,
      [`delete from audit_event where sequence = 5; ${closed}`]: /row 5 does not follow row 4/,
    });
  });

  it("shows that rows were added, after its head or before its beginning", async () => {
    const last = (await auditRows(data)).at(-1) as AuditEventRow;
    for (const sequence of [ROWS + 1, 0, -1]) {
      const forged = { ...last, sequence, previous_hash: last.hash, object_id: unknownId("ipp") };
      const statement = insert("audit_event", { ...forged, hash: hashOf(forged) });
      await expectEach({ [statement]: /13 rows, but 12 were written/ });
    }
  });

  it("shows that its tail was cut off and an old head put back, because the head's signature needs the master key", async () => {
    const { hash } = (await auditRows(data))[8] as AuditEventRow;
    const cut = `delete from audit_event where sequence > 9; update audit_head set sequence = 9, hash = '${hash}'`;
    await expectEach({
      [cut]: /the end of the log \(row 9\) was not written by a server that has the master key/,
      [`${cut}, mac = ''`]: /the end of the log \(row 9\)/,
      "update audit_head set sequence = 5": /end of the log/,
    });
  });

  it("shows that its hashes were recomputed from a changed row on, without the master key", async () => {
    const rows = await auditRows(data);
    let previous_hash = (rows[4] as AuditEventRow).hash;
    const statements = rows.slice(5).map((row) => {
      const forged = { ...row, previous_hash, ...(row.sequence === 6 && { principal_id: unknownId("usr") }) };
      const { sequence, principal_id } = forged;
      const statement = change(sequence, { principal_id, previous_hash, hash: hashOf(forged) });
      previous_hash = hashOf(forged);
      return statement;
    });
    await expectEach({
      [`${statements.join("")} update audit_head set hash = '${previous_hash}'`]:
        /the end of the log \(row 12\) was not written by a server that has the master key/,
    });
  });
});
