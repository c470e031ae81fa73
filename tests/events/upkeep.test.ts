import { deliveryMetrics } from "../../server/src/events/admin/metrics";
import { pruneEvents } from "../../server/src/events/admin/pruning";
import { replay } from "../../server/src/events/admin/replay";
import { onEveryDatabase } from "../support/databases";
import { takeAll, World } from "../support/events";

const MINUTE = 60_000;

onEveryDatabase("Recorded events", (_start, database) => {
  let world: World;
  beforeEach(async () => {
    world = await World.open(await database.create());
  });
  afterEach(() => world.close());

  it("of a deleted subscription are no longer sent, except those of another subscription", async () => {
    const { id, target, subscription } = await world.destination();
    const other = await world.destination();
    await world.subscribe([other.id]);
    const objects = await world.objects(1);
    await world.change(objects);
    await world.remove("event_subscription", subscription);
    await world.remove("event_subscription", other.subscription);
    await world.change(objects);
    await world.dispatcher().deliverDue();
    expect(target.arrived).to.deep.equal([]);
    expect(await world.deliveries(id)).to.deep.equal([]);
    expect(other.target.arrived).to.have.length(2);
    expect(await world.dueTimes()).to.deep.equal([]);
  });

  it("are removed when they are old and delivered, and kept while they are not", async () => {
    const { id, target } = await world.destination();
    const [delivered, dead, waiting] = await world.objects(3);
    target.behaviour = (batch, take, signal) =>
      batch.map((event) => {
        if (event.key !== delivered) return { ok: false, error: "no", permanent: event.key === dead };
        takeAll([event], take, signal);
        return { ok: true };
      });
    await world.change([delivered, dead, waiting] as string[]);
    await world.dispatcher().deliverDue();
    const eventsLeft = async () =>
      (await world.core.store.reader.selectFrom("event").select("object_id").execute()).map(
        (row) => row.object_id,
      );
    const before = await eventsLeft();
    expect(await pruneEvents(world.core.store, new Date(Date.now() - MINUTE))).to.equal(0);
    expect(await eventsLeft()).to.deep.equal(before);
    expect(await pruneEvents(world.core.store, world.now)).to.equal(before.length - 2);
    expect(await eventsLeft()).to.have.members([dead, waiting]);
    expect((await world.deliveries(id)).map(({ status }) => status)).to.have.members(["dead", "pending"]);
  });

  it("that were given up can be replayed, with the same ids", async () => {
    const { id, target } = await world.destination();
    target.behaviour = (batch) => batch.map(() => ({ ok: false, error: "no", permanent: true }));
    await world.change(await world.objects(2), 2);
    const dispatcher = world.dispatcher();
    await dispatcher.deliverDue();
    const refused = target.batches.flat().map((event) => event.id);
    target.behaviour = takeAll;
    expect(await replay(world.core.store, id, { deadLetters: true }, world.now)).to.equal(4);
    await dispatcher.deliverDue();
    expect(target.arrived.map((event) => event.id)).to.have.members(refused);
    expect(await replay(world.core.store, id, { deadLetters: true }, world.now)).to.equal(0);
    expect(await replay(world.core.store, id, { since: world.now }, world.now)).to.equal(0);
    expect(await replay(world.core.store, id, { since: new Date(0) }, world.now)).to.equal(4);
  });

  it("of a destination that is deleted are forgotten", async () => {
    const { id, target, subscription } = await world.destination();
    await world.change(await world.objects(2));
    await world.remove("event_subscription", subscription);
    await world.remove("event_destination", id);
    await world.dispatcher().deliverDue();
    expect(target.arrived).to.deep.equal([]);
    expect(await world.deliveries(id)).to.deep.equal([]);
  });

  it("are counted for operators: pending ones and their age, dead ones, and attempts", async () => {
    const { id, target } = await world.destination();
    const objects = await world.objects(3);
    target.behaviour = (batch) =>
      batch.map((event) => ({ ok: false, error: "no", permanent: event.key === objects[0] }));
    await world.change(objects);
    const dispatcher = world.dispatcher();
    await dispatcher.deliverDue();
    const values = new Map<string, number | undefined>();
    for (const metric of deliveryMetrics(world.core.store, dispatcher.counts))
      values.set(metric.name, (await metric.collect()).get(id));
    expect(values.get("tunnelplane_event_oldest_seconds")).to.be.a("number");
    values.delete("tunnelplane_event_oldest_seconds");
    expect(Object.fromEntries(values)).to.deep.equal({
      ...{ tunnelplane_event_backlog: 2, tunnelplane_event_dead_letters: 1 },
      ...{ tunnelplane_event_attempts_total: 5, tunnelplane_event_failures_total: 5 },
    });
  });
});
