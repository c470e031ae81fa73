import { join } from "node:path";
import { pruneEvents } from "../../../server/dist/events";
import { openStore } from "../../../server/dist/storage";
import { hostport, unknownId } from "../../support/api/expect";
import { runOn } from "../../support/commandLine";
import { execute, onEveryDatabase, optionsOf, type Row, settled } from "../../support/databases";
import { newFolder } from "../../support/folder";
import type { Rest } from "../../support/rest";
import type { ServerProcess } from "../../support/server";
import { monitoring } from "../canaries";
import { expectTold, expectWhole, insert, rowOf, unguard, update } from "./forger";

const byId = (table: string, id: string, values: Row) => update(table, values, `id = '${id}'`);

onEveryDatabase("A change directly in the database", (start, database) => {
  let data: string;
  let server: ServerProcess;
  let rest: Rest;
  let destination: string;
  before("start a server and fill it", async () => {
    data = await database.create();
    server = await start({ data });
    rest = server.rest;
    for (let index = 0; index < 5; index++)
      await rest.created("/ip_policies", { description: `policy ${index}` });
    destination = (await rest.created("/event_destinations", monitoring("a secret of the destination"))).id;
    const edge = (await rest.created("/edges/https", { hostports: [hostport()] })).id;
    const match = { match_type: "path_prefix", match: "/" };
    const route = await rest.created(`/edges/https/${edge}/routes`, match);
    const path = `/edges/https/${edge}/routes/${route.id}`;
    expect((await rest.patch(path, { description: "changed" })).status).to.equal(200);
    await unguard(data);
  });
  afterEach("find all of it whole again", () => expectWhole(data));

  const oneOf = (kind: string) =>
    rowOf(data, `select * from resource where kind = '${kind}' order by id limit 1`);
  const expectToldHere = async (statements: string, words: string) => {
    await settled(data);
    await expectTold(data, statements, words);
  };
  const expectChanged = (id: string, values: Row) =>
    expectToldHere(byId("resource", id, values), `${id} was changed without the server`);

  it("is detected in an object's document, owner, project, version and kind; of secrets, in all but themselves", async () => {
    const { id, document, version } = await oneOf("ip_policy");
    for (const values of [
      { document: document.replace("policy 0", "policy 9") },
      { document: document.replace('"description":', '"description":"first","description":') },
      { owner_id: unknownId("usr") },
      { project_id: "proj_other" },
      { version: Number(version) + 1 },
      { kind: "tls_edge" },
    ])
      await expectChanged(id, values);
    for (const [kind, from, to] of [
      ["https_edge", '"metadata":""', '"metadata":"x"'],
      ["https_edge_route", '"metadata":""', '"metadata":"x"'],
      ["event_destination", '"format":"json"', '"format":"xml"'],
      ["event_destination", /sealed:[^"]+/, "mine"],
    ] as const) {
      const row = await oneOf(kind);
      await expectChanged(row.id, { document: row.document.replace(from, to) });
    }
    expect((await rest.get("/audit_events")).text).not.to.include("a secret of the destination");
  });

  it("is detected in an object with several audit rows, even if an older state of it was restored", async () => {
    const { id } = await rest.created("/ip_policies", { description: "old" });
    const { document, version } = await rowOf(data, `select * from resource where id = '${id}'`);
    expect((await rest.patch(`/ip_policies/${id}`, { description: "new" })).status).to.equal(200);
    await expectChanged(id, { document, version });
  });

  it("is detected if objects were removed, added, or restored after their deletion", async () => {
    const row = await oneOf("ip_policy");
    await expectToldHere(
      `delete from resource where id = '${row.id}'`,
      `${row.id} was removed without the server`,
    );
    const id = unknownId("ipp");
    const added = { ...row, id, document: row.document.replaceAll(row.id, id) };
    await expectToldHere(insert("resource", added), `${id} was added without the server`);
    const gone = await rest.created("/ip_policies", {});
    const kept = await rowOf(data, `select * from resource where id = '${gone.id}'`);
    expect((await rest.delete(`/ip_policies/${gone.id}`)).status).to.equal(204);
    await expectToldHere(insert("resource", kept), `${gone.id} was put back without the server`);
  });

  it("is detected in events: payload, columns, added, moved and removed ones", async () => {
    const event = await rowOf(data, "select * from event order by sequence limit 1 offset 2");
    const { id, sequence, payload } = event;
    for (const values of [
      { payload: payload.replace('"subject":"admin"', '"subject":"nobody"') },
      { type: "ip_policy_deleted.v0" },
      { object_id: unknownId("ipp") },
      { created_at: "2020-01-01T00:00:00.000Z" },
      { project_id: "proj_other" },
    ]) {
      expect({ ...event, ...values }).not.to.deep.equal(event);
      await expectToldHere(byId("event", id, values), `${id} of row ${sequence} was changed`);
    }
    const added = { ...event, id: unknownId("ev"), sequence: 1000 };
    await expectToldHere(insert("event", added), `${added.id} of row 1000 was added without the server`);
    const removal = `delete from event where id = '${id}'`;
    await expectToldHere(removal, `${id} of row ${sequence} was removed without the server`);
  });

  it("is not reported for the work of servers and commands: rotations, pruned events, changed routes, restores", async () => {
    expect(await expectWhole(data)).to.include("Objects and events match it");
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
    const dead = `'${destination}', ${old.sequence}, '${old.object_id}', 'dead'`;
    await execute(
      data,
      `insert into delivery (destination_id, sequence, object_id, status) values (${dead})`,
    );
    const store = await openStore({ databasePool: 2, ...optionsOf(data) });
    const now = new Date(Date.now() + 1000);
    expect(await pruneEvents(store, now)).to.be.greaterThan(1);
    await execute(data, `delete from delivery where sequence = ${old.sequence}`);
    expect(await pruneEvents(store, now)).to.equal(1);
    await store.close();
    const pruned = `Events up to row ${last.sequence} are not all there`;
    expect(await expectWhole(data)).to.include(pruned);
    const file = join(newFolder(), "backup.gz");
    expect(await runOn(data, "backup", file)).to.include({ code: 0 });
    const other = await database.create();
    expect(await runOn(other, "restore", file)).to.include({ code: 0 });
    expect(await expectWhole(other, "--backup", file))
      .to.include("Objects and events match it")
      .and.to.include(pruned);
  });
});
