import { definitionOf } from "@tunnelplane/sdk/contract";
import { deliveryPage } from "../../server/src/events/admin/deliveryPage";
import { replay } from "../../server/src/events/admin/replay";
import type { DeliveryRow } from "../../server/src/storage/schema";
import { onEveryDatabase } from "../support/databases";
import { type Behaviour, takeAll, World } from "../support/events";

const MINUTE = 60_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

onEveryDatabase("An event, from its change to its destination,", (_start, database) => {
  let world: World;
  beforeEach(async () => {
    world = await World.open(await database.create());
  });
  afterEach(() => world.close());

  async function listed(
    destination: string,
    limit: number,
    status?: DeliveryRow["status"],
  ): Promise<DeliveryRow[]> {
    const found: DeliveryRow[] = [];
    await world.core.sequencer.settle(); // as the API does
    for (let before: string | undefined; ; ) {
      const page = await deliveryPage(world.core.store, destination, status, { limit, before });
      found.push(...page.documents.map((document) => JSON.parse(document)));
      if (page.nextBefore === null) return found;
      before = page.nextBefore;
    }
  }

  /** Never answers a batch with an object, and says when it has one. */
  function hangingOn(
    object: string,
    forOthers: Behaviour = takeAll,
  ): { behaviour: Behaviour; asked: Promise<void> } {
    let tell: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const behaviour: Behaviour = (batch, take, signal) => {
      if (batch.every((event) => event.key !== object)) return forOthers(batch, take, signal);
      tell();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    return { behaviour, asked };
  }

  async function dispatcherKilledOnce(asked: Promise<void>): Promise<void> {
    void world.dispatcher().deliverDue();
    await asked;
    world.dispatchers.pop(); // it never ends
  }

  it("is listed once in every state: delivered, dead, failed, in a batch, behind another, and beyond the cursor", async () => {
    const { id, target } = await world.destination();
    const [delivered, dead, failed, hanging, untaken] = (await world.objects(5)) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const { behaviour, asked } = hangingOn(hanging, (batch, take, signal) =>
      batch.map((event) => {
        if (event.key === dead || event.key === failed)
          return { ok: false, error: "no", permanent: event.key === dead };
        takeAll([event], take, signal);
        return { ok: true };
      }),
    );
    target.behaviour = behaviour;
    const dispatcher = world.dispatcher();
    for (const object of [delivered, dead, failed]) await world.change([object]);
    await dispatcher.deliverDue();
    await world.change([hanging]);
    const hangs = dispatcher.deliverDue();
    await asked;
    await world.change([hanging, delivered]);
    const later = dispatcher.deliverDue();
    while ((await listed(id, 100, "delivered")).length < 2) await turn();
    await world.change([untaken]);
    const all = [
      [untaken, "pending", 0],
      [delivered, "delivered", 1],
      [hanging, "pending", 0],
      [hanging, "pending", 0],
      [failed, "pending", 2],
      [dead, "dead", 1],
      [delivered, "delivered", 1],
    ] as const;
    for (const limit of [1, 3, 100]) {
      const found = await listed(id, limit);
      expect(
        found.map(({ object_id, status, attempts }) => [object_id, status, attempts]),
      ).to.have.deep.members(all);
      expect(
        found
          .map(({ object_id }) => object_id)
          .filter((object) => object !== hanging && object !== delivered),
      ).to.deep.equal([untaken, failed, dead]);
      for (const status of ["pending", "delivered", "dead"] as const) {
        const ofStatus = await listed(id, limit, status);
        expect(ofStatus).to.deep.equal(found.filter((delivery) => delivery.status === status));
      }
    }
    await dispatcher.stop(0);
    await Promise.all([hangs, later]);
  });

  it("is replayed with the same id with all others since a time, even if it was delivered at once", async () => {
    const { id, target } = await world.destination();
    const dispatcher = world.dispatcher();
    for (const object of await world.objects(4)) {
      await world.change([object]);
      await dispatcher.deliverDue();
    }
    const deliveries = await world.deliveries(id);
    const since = new Date((deliveries[2] as unknown as { event_timestamp: string }).event_timestamp);
    const expected = deliveries.filter(
      (delivery) => new Date((delivery as unknown as { event_timestamp: string }).event_timestamp) >= since,
    );
    expect(await replay(world.core.store, id, { since }, world.now)).to.equal(expected.length);
    expect((await world.deliveries(id)).filter(({ status }) => status === "pending")).to.have.length(
      expected.length,
    );
    await dispatcher.deliverDue();
    expect(target.arrived).to.have.length(4 + expected.length);
    expect(new Set(target.arrived.map((event) => event.id)).size).to.equal(4);
    expect((await world.deliveries(id)).map(({ status }) => status)).to.deep.equal(
      Array(4).fill("delivered"),
    );
    expect(await replay(world.core.store, id, { since: new Date(0) }, world.now)).to.equal(4);
  });

  it("does not overtake one in a batch when an older one of its object is replayed", async () => {
    const { id, target } = await world.destination();
    const objects = await world.objects(1);
    target.behaviour = (batch) => batch.map(() => ({ ok: false, error: "no", permanent: true }));
    await world.change(objects);
    await world.dispatcher().deliverDue();
    const { behaviour, asked } = hangingOn(objects[0] as string);
    target.behaviour = behaviour;
    await world.change(objects);
    await dispatcherKilledOnce(asked);
    expect(await replay(world.core.store, id, { deadLetters: true }, world.now)).to.equal(1);
    await world.change(objects);
    target.behaviour = takeAll;
    const other = world.dispatcher();
    await other.deliverDue();
    expect(target.arrived).to.deep.equal([]);
    world.pass(MINUTE);
    await other.deliverDue();
    const changes = target.changesByObject.get(objects[0] as string);
    expect(changes).to.have.members([1, 2, 3]);
    expect(changes?.filter((change) => change > 1)).to.deep.equal([2, 3]);
  });

  it("is not sent for a subscription that was created after it", async () => {
    const { id, target, subscription } = await world.destination();
    const objects = await world.objects(1);
    target.behaviour = (batch) => batch.map(() => ({ ok: false, error: "no" }));
    await world.change(objects);
    const dispatcher = world.dispatcher();
    await dispatcher.deliverDue();
    await world.subscribe([id]);
    await world.remove("event_subscription", subscription);
    target.behaviour = takeAll;
    world.pass(60 * MINUTE);
    await dispatcher.deliverDue();
    expect(target.arrived).to.deep.equal([]);
    expect(await world.deliveries(id)).to.deep.equal([]);
  });

  it("is still sent after its subscription gets another event type", async () => {
    const { target, subscription } = await world.destination();
    const objects = await world.objects(1);
    await world.change(objects);
    const sources = ["ip_policy_updated.v0", "ip_policy_deleted.v0"].map((type) => ({ type }));
    await world.resources.update(definitionOf("event_subscription"), { id: subscription }, { sources });
    await world.remove("ip_policy", objects[0] as string);
    await world.dispatcher().deliverDue();
    expect(target.arrived.map(({ body }) => JSON.parse(body).event_type)).to.deep.equal(
      sources.map(({ type }) => type),
    );
  });

  it("is not sent for an event type that was subscribed to after the change", async () => {
    const { id, target } = await world.destination();
    const objects = await world.objects(1);
    await world.remove("ip_policy", objects[0] as string);
    await world.subscribe([id], ["ip_policy_deleted.v0"]);
    await world.dispatcher().deliverDue();
    expect(target.arrived).to.deep.equal([]);
  });

  it("arrives after thousands that no subscription names", async () => {
    const { target } = await world.destination();
    const objects: string[] = [];
    while (objects.length < 5200) objects.push(...(await world.objects(400)));
    await world.change([objects[0] as string]);
    await world.dispatcher().deliverDue();
    expect(target.arrived.map(({ key }) => key)).to.deep.equal([objects[0]]);
  });
});
