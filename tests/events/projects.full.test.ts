import { DEFAULT_PROJECT, definitionOf } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { projectNames } from "../../server/src/auth/projects";
import { readRequest } from "../../server/src/changesets/request";
import { replay } from "../../server/src/events/admin/replay";
import { auditPage } from "../../server/src/journal";
import type { AuditEventRow } from "../../server/src/storage/schema";
import { eventAt, eventPage, eventsAfter, sequenceAfter } from "../../server/src/view";
import { runOn } from "../support/commandLine";
import { execute, onEveryDatabase, rowsIn } from "../support/databases";
import { type StandInTarget, World } from "../support/events";
import { expectFound, expectWhole, literal, unguard } from "../trust/attacks/forger";

const SIZE = { limit: 100, bytes: 1_000_000 };
const POLICY = definitionOf("ip_policy");

const refusalOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "",
    (error: Error) => error.message,
  );

onEveryDatabase("A change in one of two projects", (_start, database) => {
  let data: string;
  let world: World;
  let other: Awaited<ReturnType<World["newProject"]>>;
  /** The id of the other project. */
  let there: string;
  beforeEach(async () => {
    data = await database.create();
    world = await World.open(data);
    other = await world.newProject("the-other");
    there = other.project;
  });
  afterEach(() => world.close());

  const keysOf = ({ arrived }: StandInTarget) => new Set(arrived.map(({ key }) => key));

  it("reaches the destinations of that project alone, at first and again", async () => {
    const [ours, theirs] = [await world.destination(), await other.destination()];
    const [own] = await world.objects(1);
    const [foreign] = await other.objects(1);
    await world.change([`${own}`], 2);
    await other.change([`${foreign}`], 3);
    await world.dispatcher().deliverDue();
    expect(keysOf(ours.target)).to.deep.equal(new Set([own]));
    expect(keysOf(theirs.target)).to.deep.equal(new Set([foreign]));
    for (const [{ id, target }, count] of [
      [ours, 2],
      [theirs, 3],
    ] as const) {
      expect(await world.deliveries(id)).to.have.length(count);
      expect(await replay(world.core.store, id, { since: new Date(0) }, world.now)).to.equal(count);
      await world.dispatcher().deliverDue();
      expect(target.arrived).to.have.length(2 * count);
    }
  });

  it("is in lists of events, and has a place to go on from, for that project alone", async () => {
    const { store, sequencer } = world.core;
    const [own] = await world.objects(1);
    const [foreign] = await other.objects(1);
    await world.change([`${own}`]);
    await sequencer.settle();
    const listed = async (project: string | undefined) =>
      (await eventPage(store, { project }, {}, SIZE)).documents.map((text) => JSON.parse(text));
    const objectsOf = async (project: string | undefined) =>
      (await listed(project)).map((event) => event.object.id);
    expect(await objectsOf(there)).to.deep.equal([foreign]);
    expect(await objectsOf(DEFAULT_PROJECT.id))
      .to.include(own)
      .and.not.to.include(foreign);
    expect(await objectsOf(undefined)).to.include.members([own, foreign]);
    const [theirs] = await listed(there);
    const before = (project: string) =>
      eventPage(store, { project }, {}, { ...SIZE, before: theirs.event_id });
    expect((await before(DEFAULT_PROJECT.id)).documents).to.deep.equal([]);
    for (const find of [eventAt, sequenceAfter] as const) {
      await find(store, { project: there }, theirs.event_id);
      const refusal = await refusalOf(find(store, { project: DEFAULT_PROJECT.id }, theirs.event_id));
      expect(refusal).to.match(/There is no event|which is no event here/);
    }
    const [first] = (
      await eventsAfter(store, { project: there }, {}, { ...SIZE, after: 0, isNumbered: false })
    ).documents;
    expect(JSON.parse(`${first}`)).not.to.have.property("sequence");
  });

  it("has audit rows of that project, whose ids and fields say nothing of rows in between", async () => {
    const { store, sequencer, journal } = world.core;
    const owns: string[] = [];
    for (let count = 0; count < 3; count++) {
      owns.push(...(await world.objects(1)));
      await other.objects(1);
    }
    await sequencer.settle();
    const names = await projectNames(store.reader);
    const page = async (project: string | undefined, more: { before?: string; limit?: number } = {}) => {
      const ids = project === undefined ? undefined : journal.rowIds;
      const { documents, nextBefore } = await auditPage(store, {
        ...{ ...SIZE, ...more, project, ids, names },
        readLarge: (read) => read(),
      });
      return { rows: documents.map((text) => JSON.parse(text)), nextBefore };
    };
    const { rows: all } = await page(undefined);
    expect(new Set(all.map(({ project }) => project))).to.deep.equal(
      new Set([DEFAULT_PROJECT.name, "the-other"]),
    );
    expect(all[0].id).to.equal(`au_${all.length}`);
    const { rows } = await page(there);
    expect(rows).to.have.length(3);
    for (const row of rows) {
      expect(row).to.include({ lane: null, previous_hash: null, hash: null, project: "the-other" });
      expect(row.id).to.match(/^au_[\w-]{22}$/);
    }
    let before: string | undefined;
    for (const row of rows) {
      const { rows: one, nextBefore } = await page(there, { limit: 1, ...(before && { before }) });
      expect(one).to.deep.equal([row]);
      before = nextBefore ?? undefined;
    }
    expect(before).to.equal(undefined);
    for (const wrong of ["au_1", `au_${"A".repeat(22)}`])
      expect(await refusalOf(page(there, { before: wrong })), wrong).to.contain(
        "before_id must be the id of an audit event",
      );
  });

  it("stays verifiable, and nobody can move it to another project afterwards", async () => {
    await world.objects(1);
    const [foreign] = await other.objects(1);
    await other.change([`${foreign}`]);
    await world.core.sequencer.settle();
    await expectWhole(data);
    await unguard(data);
    const [row] = (await rowsIn(
      data,
      `select * from audit_event where project_id = '${there}' order by sequence`,
    )) as AuditEventRow[];
    const of = { event: "id", audit_event: "event_id" } as const;
    for (const [table, column] of Object.entries(of))
      for (const project of [DEFAULT_PROJECT.id, "proj_third"]) {
        const put = (where: string) =>
          execute(
            data,
            `update ${table} set project_id = ${literal(where)} where ${column} = '${row?.event_id}'`,
          );
        await put(project);
        await expectFound(data, "was changed");
        await put(there);
        await expectWhole(data);
      }
    await execute(data, `update resource set project_id = '${DEFAULT_PROJECT.id}' where id = '${foreign}'`);
    await expectFound(data, `${foreign} was changed without the server`);
    await execute(data, `update resource set project_id = '${there}' where id = '${foreign}'`);
    expect(await runOn(data, "keys", "rotate")).to.include({ code: 0 });
    await expectWhole(data);
  });

  it("leaves the names of change sets and the idempotency keys of the other project free", async () => {
    const set = "web";
    const apply = (where: World) =>
      where.changeSets.apply(async () =>
        readRequest({
          body: { set, objects: [{ kind: "ip_policy", key: "a" }] },
          wrong: [],
          broken: new Map(),
        }),
      );
    const ids = [];
    for (const where of [world, other]) ids.push((await apply(where)).operations[0]?.id);
    expect(new Set(ids).size).to.equal(2);
    for (const [index, where] of [world, other].entries()) {
      const found = JSON.parse((await where.changeSets.get(set)).json);
      expect(found.objects.map(({ id }: { id: string }) => id)).to.deep.equal([ids[index]]);
      const { documents } = await where.changeSets.list(SIZE);
      expect(documents.map((text) => JSON.parse(text).set)).to.deep.equal([set]);
    }
    await other.changeSets.release(set, () => undefined);
    expect((await world.changeSets.list(SIZE)).documents).to.have.length(1);
    const create = (where: World, project: string) =>
      where
        .resourcesFor({ idempotency: { project, ownerId: "usr_1", key: "key", requestHash: project } })
        .create(POLICY, {});
    const made = [];
    for (let time = 0; time < 2; time++)
      made.push(await create(world, DEFAULT_PROJECT.id), await create(other, there));
    expect(made.map(({ replayed = false }) => replayed)).to.deep.equal([false, false, true, true]);
    expect(new Set(made.map(({ id }) => id)).size).to.equal(2);
    expect(await runOn(data, "keys", "rotate")).to.include({ code: 0 });
    const { replayed } = await create(other, there);
    expect(replayed).to.equal(true);
  });
});
