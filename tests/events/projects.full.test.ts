import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { replay } from "../../server/src/events/admin/replay";
import type { AuditEventRow } from "../../server/src/storage/schema";
import { runOn } from "../support/commandLine";
import { execute, onEveryDatabase, rowsIn } from "../support/databases";
import { type StandInTarget, World } from "../support/events";
import { expectFound, expectWhole, literal, unguard } from "../trust/attacks/forger";

onEveryDatabase("A change in one of two projects", (_start, database) => {
  let data: string;
  let world: World;
  let other: Awaited<ReturnType<World["newProject"]>>;
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
});
