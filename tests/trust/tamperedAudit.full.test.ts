import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { hashOf } from "../../server/src/journal/rows";
import type { AuditEventRow } from "../../server/src/storage/schema";
import { type Json, unknownId } from "../support/api/expect";
import { runOn } from "../support/commandLine";
import { contentOf, execute, onEveryDatabase, rowsIn, settled } from "../support/databases";
import { Rest } from "../support/rest";
import { run, type ServerProcess } from "../support/server";
import { headOf, unguard } from "./attacks/forger";
import { auditRows } from "./auditRows";

const ROWS = 12;
const isUrl = (data: string) => data.startsWith("postgres:");
const literal = (value: unknown): string =>
  value === null
    ? "null"
    : typeof value === "number"
      ? String(value)
      : `'${String(value).replaceAll("'", "''")}'`;

const update = (sequence: number, values: Json): string =>
  `update audit_event set ${Object.entries(values).map(([name, value]) => `${name} = ${literal(value)}`)} where sequence = ${sequence};`;

onEveryDatabase("The audit log", (start, database) => {
  let server: ServerProcess;
  let rest: Rest;
  let data: string;
  before("start a server and change some objects", async () => {
    data = await database.create();
    server = await start({ data });
    rest = new Rest(server.url, server.apiKey);
    for (let index = 1; index < ROWS; index++)
      await rest.post("/ip_policies", { description: `policy ${index}` });
    expect(await auditRows(data)).to.have.length(ROWS); // the first row is the admin's API key
  });
  after(() => server.stop());

  const verify = (...args: string[]) => runOn(data, "audit", "verify", ...args);
  const anchorOf = (out: string): string => /(\d+:[0-9a-f]{64})/.exec(out)?.[1] ?? "";

  /** Tampers with the log, checks that `audit verify` reports it, and restores everything. */
  const expectFound = async (statements: string, words: RegExp, ...args: string[]) => {
    const [rows, head] = [await auditRows(data), (await rowsIn(data, "select * from audit_head"))[0] as Json];
    await unguard(data);
    await execute(data, statements);
    const { code, out, err } = await verify(...args);
    expect(code, `${statements}\n${out}${err}`).to.equal(1);
    expect(err).to.match(words);
    expect(out).to.equal("");
    const names = Object.keys(rows[0] as object) as (keyof AuditEventRow)[];
    const values = rows.map((row) => `(${names.map((name) => literal(row[name]))})`);
    const { id, sequence, hash, key_id, mac } = head;
    await execute(
      data,
      `delete from audit_event; insert into audit_event (${names}) values ${values}; delete from audit_head;
       insert into audit_head (id, sequence, hash, key_id, mac) values (${[id, Number(sequence), hash, key_id, mac].map(literal)})`,
    );
  };
  afterEach("find the log whole again", async () => expect((await verify()).code).to.equal(0));

  it("is complete if nobody touched it, and verify prints its head", async () => {
    const { code, out } = await run(data, "audit", "verify");
    const head = await headOf(data);
    expect(code).to.equal(0);
    expect(out).to.include(`${ROWS} rows`).and.to.include(`${head.sequence}:${head.hash}`);
  });

  it("refuses changes and removals of rows by any program", async () => {
    const before = await contentOf(data);
    for (const statement of [
      "update audit_event set action = 'nothing' where sequence = 3",
      "update audit_event set changed = changed",
      "delete from audit_event where sequence = 3",
      "delete from audit_event",
      ...(isUrl(data) ? ["truncate audit_event"] : []),
    ]) {
      const refused = await execute(data, statement).then(
        () => undefined,
        (error: Error) => error.message,
      );
      expect(refused, statement).to.include("append-only");
    }
    expect(await contentOf(data)).to.deep.equal(before);
  });

  it("shows that a row was changed, in any column", async () => {
    const row = (await auditRows(data))[5] as AuditEventRow;
    for (const [name, value] of Object.entries(row)) {
      if (name === "sequence") continue; // that is moving a row
      await expectFound(
        update(6, { [name]: value === null ? "x" : `${String(value).slice(0, -1)}~` }),
        /row 6 /,
      );
    }
    for (const name of ["key_id", "client", "object_id", "event_id"])
      await expectFound(update(6, { [name]: null }), /row 6 was changed/);
  });

  it("shows that rows were removed: from its beginning, its middle or its end", async () => {
    await expectFound("delete from audit_event where sequence = 1", /rows 1 to 1 are missing/);
    await expectFound("delete from audit_event where sequence in (4, 5)", /rows 4 to 5 are missing/);
    await expectFound(
      "delete from audit_event where sequence > 9",
      /ends with row 9, but it was written up to row 12/,
    );
    await expectFound("delete from audit_event", /ends with row 0, but it was written up to row 12/);
  });

  it("shows that rows were swapped, or that the gap of a removed row was closed", async () => {
    const swap =
      "update audit_event set sequence = 0 where sequence = 4; update audit_event set sequence = 4 where sequence = 7;";
    await expectFound(
      `${swap} update audit_event set sequence = 7 where sequence = 0`,
      /row 4 does not follow row 3/,
    );
    const close = Array.from(
      { length: ROWS - 5 },
      (_, index) => `update audit_event set sequence = ${index + 5} where sequence = ${index + 6};`,
    );
    await expectFound(
      `delete from audit_event where sequence = 5; ${close.join("")}`,
      /row 5 does not follow row 4/,
    );
  });

  it("shows that rows were added, after its head or before its beginning", async () => {
    const rows = await auditRows(data);
    const last = rows.at(-1) as AuditEventRow;
    for (const sequence of [ROWS + 1, 0, -1]) {
      const forged = { ...last, sequence, previous_hash: last.hash, object_id: unknownId("ipp") };
      const row = { ...forged, hash: hashOf(forged) };
      await expectFound(
        `insert into audit_event (${Object.keys(row)}) values (${Object.values(row).map(literal)})`,
        /13 rows, but 12 were written/,
      );
    }
  });

  it("shows that its tail was cut off and an old head put back, because the head's signature needs the master key", async () => {
    const row = (await auditRows(data))[8] as AuditEventRow;
    const cut = `delete from audit_event where sequence > 9; update audit_head set sequence = 9, hash = '${row.hash}'`;
    await expectFound(
      cut,
      /the end of the log \(row 9\) was not written by a server that has the master key/,
    );
    await expectFound(`${cut}, mac = ''`, /the end of the log \(row 9\)/);
    await expectFound("update audit_head set sequence = 5", /end of the log/);
  });

  it("shows that its hashes were recomputed from a changed row on, without the master key", async () => {
    const rows = await auditRows(data);
    let previous_hash = (rows[4] as AuditEventRow).hash;
    const statements = rows.slice(5).map((row) => {
      const forged = { ...row, previous_hash, ...(row.sequence === 6 && { principal_id: unknownId("usr") }) };
      previous_hash = hashOf(forged);
      return update(row.sequence, {
        principal_id: forged.principal_id,
        previous_hash: forged.previous_hash,
        hash: previous_hash,
      });
    });
    const head = `update audit_head set hash = '${previous_hash}'`;
    await expectFound(
      `${statements.join("")} ${head}`,
      /the end of the log \(row 12\) was not written by a server that has the master key/,
    );
  });

  it("shows that its head is gone, in plain words", async () => {
    await expectFound("delete from audit_head", /The end of the audit log .* was removed/);
  });

  it("shows with a noted head that the whole database was reset to an older state", async () => {
    const older = anchorOf((await verify()).out);
    const copy = mkdtempSync(join(tmpdir(), "tunnelplane-copy-"));
    const files = ["tunnelplane.db", "tunnelplane.db-wal"];
    const [rows, head] = [await auditRows(data), (await rowsIn(data, "select * from audit_head"))[0] as Json];
    if (!isUrl(data)) {
      await server.stop();
      for (const name of files)
        if (existsSync(join(data, name))) copyFileSync(join(data, name), join(copy, name));
      server = await start({ data });
      rest = new Rest(server.url, server.apiKey);
    }
    const { id } = (await rest.post("/ip_policies", {})).body;
    const newer = anchorOf((await verify()).out);
    for (const anchor of [older, newer]) expect((await verify("--expect", anchor)).code).to.equal(0);
    await server.stop();
    if (isUrl(data)) {
      await unguard(data);
      await execute(
        data,
        `delete from resource where id = '${id}'; delete from audit_event where sequence > ${rows.length};
         delete from event where sequence > ${rows.length}; update audit_head set sequence = ${Number(head.sequence)}, hash = '${head.hash}', mac = '${head.mac}'`,
      );
    } else {
      for (const name of ["tunnelplane.db", "tunnelplane.db-wal", "tunnelplane.db-shm"])
        rmSync(join(data, name), { force: true });
      for (const name of files)
        if (existsSync(join(copy, name))) copyFileSync(join(copy, name), join(data, name));
    }
    expect((await verify()).code).to.equal(0);
    expect((await verify("--expect", older)).code).to.equal(0);
    const { code, err } = await verify("--expect", newer);
    expect(code).to.equal(1);
    expect(err).to.include("the noted row 13 is no longer there");
    server = await start({ data });
    rest = new Rest(server.url, server.apiKey);
    await rest.post("/ip_policies", { description: "another history" });
    await settled(data);
    const other = await verify("--expect", newer);
    expect(other.code).to.equal(1);
    expect(other.err).to.include("row 13 is not the one that was noted");
    const wrong = await verify("--expect", "13");
    expect(wrong.code, "the command was called wrongly").to.equal(2);
    expect(wrong.err).to.include("as an earlier run printed it");
    rmSync(copy, { recursive: true, force: true });
  });
});
