import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { pruneEvents } from "../../../server/dist/events";
import { openStore } from "../../../server/dist/storage";
import { hostport, unknownId } from "../../support/api/expect";
import { runOn } from "../../support/commandLine";
import { execute, onEveryDatabase, rowsIn, untilTestEnds } from "../../support/databases";
import { Rest } from "../../support/rest";
import type { ServerProcess } from "../../support/server";
import { created, monitoring } from "../canaries";
import { expectFound, expectWhole, literal, served, unguard } from "./forger";
import { makeOld } from "./oldDatabase";

/** A row of any of the tables. */
type Row = Record<
  | "id"
  | "document"
  | "kind"
  | "owner_id"
  | "version"
  | "sequence"
  | "type"
  | "object_id"
  | "created_at"
  | "payload"
  | "project_id"
  | "value",
  string
>;

const rowOf = async (data: string, statement: string): Promise<Row> =>
  (await rowsIn(data, statement))[0] as Row;

onEveryDatabase("A change directly in the database", (start, database) => {
  let data: string;
  let server: ServerProcess;
  let rest: Rest;
  let destination: string;
  let edge: string;
  before("start a server and fill it", async () => {
    data = await database.create();
    server = await start({ data });
    rest = new Rest(server.url, server.apiKey);
    for (let index = 0; index < 5; index++)
      await created(rest, "/ip_policies", { description: `policy ${index}` });
    destination = (await created(rest, "/event_destinations", monitoring("a secret of the destination"))).id;
    edge = (await created(rest, "/edges/https", { hostports: [hostport()] })).id;
    const route = await created(rest, `/edges/https/${edge}/routes`, {
      match_type: "path_prefix",
      match: "/",
    });
    expect(
      (await rest.patch(`/edges/https/${edge}/routes/${route.id}`, { description: "changed" })).status,
    ).to.equal(200);
    await unguard(data);
  });
  after(() => server.stop());

  const policy = async (): Promise<Row> =>
    rowOf(data, "select * from resource where kind = 'ip_policy' order by id limit 1");

  /** Changes a row, checks that verify reports its id, and changes it back. */
  const expectNamed = async (change: string, id: string, words: string, back: string) => {
    await execute(data, change);
    await expectFound(data, `${id} ${words}`);
    await execute(data, back);
    await expectWhole(data);
  };

  it("is detected in an object's document, owner, project, version and kind", async () => {
    const { id, document, owner_id, project_id, version, kind } = await policy();
    const set = (column: string, value: unknown) =>
      `update resource set ${column} = ${literal(value)} where id = '${id}'`;
    for (const [column, was, is] of [
      ["document", document, String(document).replace("policy 0", "policy 9")],
      [
        "document",
        document,
        String(document).replace('"description":', '"description":"first","description":'),
      ],
      ["owner_id", owner_id, unknownId("usr")],
      ["project_id", project_id, "proj_other"],
      ["version", version, Number(version) + 1],
      ["kind", kind, "tls_edge"],
    ]) {
      await expectNamed(
        set(String(column), is),
        id,
        "was changed without the server",
        set(String(column), was),
      );
    }
  });

  it("is detected in an object with several audit rows, even if an older state of it was restored", async () => {
    const { id } = await created(rest, "/ip_policies", { description: "old" });
    const old = await rowOf(data, `select * from resource where id = '${id}'`);
    expect((await rest.patch(`/ip_policies/${id}`, { description: "new" })).status).to.equal(200);
    const now = await rowOf(data, `select * from resource where id = '${id}'`);
    const set = (row: Row) =>
      `update resource set document = ${literal(row.document)}, version = ${row.version} where id = '${id}'`;
    await expectWhole(data);
    await expectNamed(set(old), id, "was changed without the server", set(now));
  });

  it("is detected in an edge and its routes, while changes of routes through the server are fine", async () => {
    for (const kind of ["https_edge", "https_edge_route"]) {
      const row = await rowOf(data, `select id, document from resource where kind = '${kind}'`);
      const set = (text: string) => `update resource set document = ${literal(text)} where id = '${row.id}'`;
      const edited = String(row.document).replace('"metadata":""', '"metadata":"x"');
      await expectNamed(set(edited), row.id, "was changed without the server", set(row.document));
    }
  });

  it("is detected in an object with secrets, except in the secrets themselves", async () => {
    const row = await rowOf(data, `select document from resource where id = '${destination}'`);
    const set = (text: string) =>
      `update resource set document = ${literal(text)} where id = '${destination}'`;
    const { document } = row;
    for (const edited of [
      String(document).replace('"format":"json"', '"format":"xml"'),
      String(document).replace(/sealed:[^"]+/, "mine"),
    ]) {
      await expectNamed(set(edited), destination, "was changed without the server", set(document));
    }
    expect(JSON.stringify((await rest.get("/audit_events")).body)).not.to.include(
      "a secret of the destination",
    );
  });

  it("is detected if objects were removed, added, or restored after their deletion", async () => {
    const { id, kind, owner_id, version, document } = await policy();
    const insert = (as: string, text: string) =>
      `insert into resource (id, kind, owner_id, version, document) values ('${as}', '${kind}', '${owner_id}', ${version}, ${literal(text)})`;
    const remove = (one: string) => `delete from resource where id = '${one}'`;
    await expectNamed(remove(id), id, "was removed without the server", insert(id, document));
    const other = unknownId("ipp");
    await expectNamed(
      insert(other, String(document).replaceAll(id, other)),
      other,
      "was added without the server",
      remove(other),
    );
    const gone = await created(rest, "/ip_policies", {});
    const row = await rowOf(data, `select document from resource where id = '${gone.id}'`);
    expect((await rest.delete(`/ip_policies/${gone.id}`)).status).to.equal(204);
    await expectNamed(
      insert(gone.id, row.document),
      gone.id,
      "was put back without the server",
      remove(gone.id),
    );
  });

  it("is detected in events: payload, columns, added, moved and removed ones", async () => {
    const event = await rowOf(data, "select * from event order by sequence limit 1 offset 2");
    const { id, sequence, type, object_id, created_at, payload, project_id } = event;
    const set = (column: string, value: unknown) =>
      `update event set ${column} = ${literal(value)} where id = '${id}'`;
    for (const [column, was, is] of [
      ["payload", payload, String(payload).replace('"subject":"admin"', '"subject":"nobody"')],
      ["type", type, "ip_policy_deleted.v0"],
      ["object_id", object_id, unknownId("ipp")],
      ["created_at", created_at, "2020-01-01T00:00:00.000Z"],
      ["project_id", project_id, "proj_other"],
    ]) {
      expect(is).not.to.equal(was);
      await expectNamed(
        set(String(column), is),
        `${id} of row ${sequence}`,
        "was changed",
        set(String(column), was),
      );
    }
    const added = unknownId("ev");
    await expectNamed(
      `insert into event (id, sequence, type, object_id, created_at, payload) values ('${added}', 1000, '${type}', '${object_id}', '${created_at}', ${literal(payload)})`,
      `${added} of row 1000`,
      "was added without the server",
      `delete from event where id = '${added}'`,
    );
    const columns = [id, sequence, type, object_id, created_at, payload].map(literal).join(", ");
    await expectNamed(
      `delete from event where id = '${id}'`,
      `${id} of row ${sequence}`,
      "was removed without the server",
      `insert into event (id, sequence, type, object_id, created_at, payload) values (${columns})`,
    );
  });

  it("is not reported for the work of servers and commands: rotations, pruned events, changed routes, restores", async () => {
    const before = await expectWhole(data);
    expect(before).to.include("Objects and events match it");
    expect(before).not.to.include("recorded there as it was");
    const kept = await rowOf(data, "select value from setting where name = 'audit_key'");
    expect(await runOn(data, "keys", "rotate")).to.include({ code: 0 });
    const sealed = await rowOf(data, "select value from setting where name = 'audit_key'");
    expect(sealed.value)
      .to.match(/^sealed:/)
      .and.not.to.equal(kept.value);
    await expectWhole(data);
    const last = await rowOf(data, "select sequence from event order by sequence desc limit 1");
    // An old event that is a dead letter stays, and is pruned after younger ones, when nobody needs it any
    // more.
    const old = await rowOf(data, "select sequence, object_id from event order by sequence limit 1 offset 1");
    const dead = `'${destination}', ${old.sequence}, 'ip_policy_created.v0', '${old.object_id}', 'dead'`;
    await execute(
      data,
      `insert into delivery (destination_id, sequence, event_type, object_id, status) values (${dead})`,
    );
    const store = await openStore({
      databasePool: 2,
      ...(data.startsWith("postgres:") ? { data: "", databaseUrl: data } : { data }),
    });
    const now = new Date(Date.now() + 1000);
    expect(await pruneEvents(store, now)).to.be.greaterThan(1);
    await execute(data, `delete from delivery where sequence = ${old.sequence}`);
    expect(await pruneEvents(store, now)).to.equal(1);
    await store.close();
    const pruned = `Events up to row ${last.sequence} are not all there`;
    expect(await expectWhole(data)).to.include(pruned);
    const folder = mkdtempSync(join(tmpdir(), "tunnelplane-forged-"));
    const file = join(folder, "backup.gz");
    expect(await runOn(data, "backup", file)).to.include({ code: 0 });
    const other = await database.create();
    expect(await runOn(other, "restore", file)).to.include({ code: 0 });
    expect(await expectWhole(other, "--backup", file))
      .to.include("Objects and events match it")
      .and.to.include(pruned);
    rmSync(folder, { recursive: true, force: true });
  });
});

onEveryDatabase("A database from before there were digests", (start, database) => {
  const serve = untilTestEnds(start);
  let data: string;
  beforeEach("have one", async () => {
    data = await database.create();
    await served(start, data);
    await makeOld(data);
  });

  it("is recorded as it is when a server first starts on it, once, and verify says so", async () => {
    const servers = await Promise.all(Array.from({ length: 2 }, () => serve({ data })));
    const rows = (await rowsIn(
      data,
      "select * from audit_event where action = 'baseline_recorded'",
    )) as Row[];
    expect(rows).to.have.length(1);
    const out = await expectWhole(data);
    expect(out).to.include(
      `older than row ${rows[0]?.sequence} was recorded there as it was on ${rows[0]?.created_at}`,
    );
    const rest = new Rest((servers[0] as ServerProcess).url, (servers[0] as ServerProcess).apiKey);
    const [policy] = (await rest.get("/ip_policies")).body.ip_policies;
    expect((await rest.patch(`/ip_policies/${policy.id}`, { description: "later" })).status).to.equal(200);
    expect(
      (await rest.delete(`/ip_policies/${(await rest.get("/ip_policies?limit=1")).body.ip_policies[0].id}`))
        .status,
    ).to.equal(204);
    await expectWhole(data);
  });

  it("has all later changes of objects and events detected", async () => {
    await (await serve({ data })).stop();
    const object = await rowOf(data, "select * from resource where kind = 'ip_policy' order by id limit 1");
    const event = await rowOf(data, "select * from event order by sequence desc limit 1");
    const set = (table: string, column: string, id: string, value: unknown) =>
      `update ${table} set ${column} = ${literal(value)} where id = '${id}'`;
    const { id, document } = object;
    await execute(
      data,
      set("resource", "document", id, String(document).replace('"metadata":""', '"metadata":"x"')),
    );
    await expectFound(data, `${id} was changed without the server`);
    await execute(data, set("resource", "document", id, document));
    await execute(data, set("event", "payload", event.id, String(event.payload).replace("admin", "nobody")));
    await expectFound(data, `the event ${event.id} of row ${event.sequence} was changed`);
    await execute(data, set("event", "payload", event.id, event.payload));
    await execute(data, `update baseline set digest = 'x' where id = '${id}'`);
    await expectFound(data, "the table baseline was changed");
    await execute(data, `delete from baseline where id = '${id}'`);
    await expectFound(data, `${id} was added without the server`);
  });
});
