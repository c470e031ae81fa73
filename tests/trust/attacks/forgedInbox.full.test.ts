import { runOn } from "../../support/commandLine";
import { execute, type Row, rowsIn, settled, sharedPostgres } from "../../support/databases";
import type { Session } from "../../support/postgres";
import type { Rest } from "../../support/rest";
import { ServerProcess } from "../../support/server";
import { expectFound, expectTold, expectWhole, insert, rowOf, update } from "./forger";

const CHANGES = 6;

describe("On PostgreSQL: an attacker who tampers with changes that have no place in the log yet", () => {
  let data: string;
  let server: ServerProcess;
  let rest: Rest;
  let session: Session;
  let rows: Row[];
  beforeEach("start a server, hold the end of the log, and change some objects", async () => {
    const postgres = await sharedPostgres();
    data = await postgres.newDatabase();
    server = await ServerProcess.start({ data });
    rest = server.rest;
    await rest.created("/ip_policies", { description: "in the log" });
    await settled(data);
    session = await postgres.connect(data);
    await session.query("begin");
    await session.query("select from audit_head for update");
    for (let index = 1; index <= CHANGES; index++)
      await rest.created("/ip_policies", { description: `waits ${index}` });
    rows = await inbox();
    expect(rows).to.have.length(CHANGES);
  });
  afterEach(async () => {
    await session.end();
    await server.stop();
  });

  const inbox = () => rowsIn(data, "select * from inbox order by n");
  const at = (index: number): Row => rows[index] as Row;
  const put = (row: Row): string => insert("inbox", row);

  it("is found: rows changed in whichever column, removed, repeated, moved or made up", async function () {
    this.timeout(600_000);
    expect(await expectWhole(data)).to.match(/6 more rows wait in the inbox/);
    const { n, ...third } = at(2);
    for (const [name, value] of Object.entries(third)) {
      const other = name === "k" ? 9_000 : value === null ? "x" : `${String(value).slice(0, -1)}~`;
      await expectTold(
        data,
        update("inbox", { [name]: other }, `n = ${n}`),
        `row ${n} of the inbox was added or changed`,
      );
    }
    const [second, fourth, fifth] = [at(1).n, at(3).n, at(4).n];
    const moved = (from: number, to: number) => update("inbox", { n: to }, `n = ${from}`);
    const isRepeated = "of the inbox repeats a row before it, or changed places with one";
    for (const [statements, words] of [
      [`delete from inbox where n = ${n}`, `before row ${fourth} of the inbox a row is missing`],
      [
        `delete from inbox where n in (${second}, ${n})`,
        `before row ${fourth} of the inbox 2 rows are missing`,
      ],
      [put(third), isRepeated],
      [moved(n, 0) + moved(fifth, n) + moved(0, fifth), isRepeated],
      [
        put({ ...third, object_id: "ipp_of-nobody" }),
        "no server that has the master key wrote it in this form",
      ],
    ] as const)
      await expectTold(data, statements, words);
    await expectWhole(data);
  });

  it("is found by the objects too: changed, removed or put back without the server", async () => {
    const id = at(1).object_id;
    const resource = await rowOf(data, `select * from resource where id = '${id}'`);
    const document = resource.document.replace("waits 2", "waits 9");
    await expectTold(
      data,
      update("resource", { document }, `id = '${id}'`),
      `the object ${id} was changed without the server`,
    );
    await execute(data, `delete from resource where id = '${id}'`);
    await expectFound(
      data,
      `the object ${id} was removed without the server: row ${at(1).n} of the inbox left it there`,
    );
    expect((await rest.delete(`/ip_policies/${at(0).object_id}`)).status).to.equal(204);
    const again = insert("resource", { ...resource, id: at(0).object_id });
    await execute(data, insert("resource", resource) + again);
    await expectFound(data, `the object ${at(0).object_id} was put back without the server`);
  });

  it("has forged and repeated rows never delivered: they stay, are reported, and hold up nothing", async () => {
    const { n, ...third } = at(2);
    await execute(data, put({ ...third, payload: third.payload.replace("waits 3", "forged") }) + put(third));
    await session.query("commit");
    await rest.created("/ip_policies", { description: "after" });
    const { events } = (await rest.get("/events")).body;
    const recorded = events.filter(
      ({ event_type }: { event_type: string }) => event_type === "ip_policy_created.v0",
    );
    expect(
      recorded.map(({ object }: { object: { description: string } }) => object.description).reverse(),
    ).to.deep.equal([
      "in the log",
      ...Array.from({ length: CHANGES }, (_, index) => `waits ${index + 1}`),
      "after",
    ]);
    expect(await inbox()).to.have.length(2);
    await server.logged("a row of the table inbox was tampered with");
    await expectFound(data, "of the inbox was added or changed");
  });

  it("is found after the end of the log is free again: a removed row is missing in its lane", async () => {
    await execute(data, `delete from inbox where n = ${at(2).n}`);
    await session.query("commit");
    await settled(data);
    await expectFound(data, "a row is missing, which the same server wrote");
  });

  it("does not have readers see less: they wait until the end of the log is free, and writers do not", async () => {
    let isAnswered = false;
    const reading = rest.get("/events?limit=1").then((answer) => {
      isAnswered = true;
      return answer;
    });
    const { id } = await rest.created("/ip_policies", { description: "written meanwhile" });
    expect(isAnswered).to.equal(false);
    await session.query("commit");
    expect((await reading).status).to.equal(200);
    expect((await rest.get(`/events?object_id=${id}`)).body.events).to.have.length(1);
    const head = JSON.parse((await rest.get("/audit_head")).text);
    expect(head.sequence).to.equal(CHANGES + 3);
    expect((await runOn(data, "audit", "verify")).code).to.equal(0);
  });
});
