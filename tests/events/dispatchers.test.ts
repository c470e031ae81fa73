import { EventEmitter, once } from "node:events";
import { onEveryDatabase } from "../support/databases";
import { takeAll, World } from "../support/events";

const MINUTE = 60_000;

onEveryDatabase("Events, with several dispatchers or runs of one,", (_start, database) => {
  let world: World;
  beforeEach(async () => {
    world = await World.open(await database.create());
  });
  afterEach(() => world.close());

  it("that a service accepted before a dispatcher stopped are not sent again, though others of their batch are", async () => {
    const { id, target } = await world.destination();
    const objects = await world.objects(15);
    const hanging = new EventEmitter();
    const asked = once(hanging, "asked");
    target.behaviour = (batch, take, signal) => {
      if (batch.length === 10) return takeAll(batch, take, signal);
      hanging.emit("asked");
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    await world.change(objects);
    const dispatcher = world.dispatcher();
    const delivering = dispatcher.deliverDue();
    await asked;
    await dispatcher.stop(0);
    await delivering;
    target.behaviour = takeAll;
    await world.dispatcher().deliverDue();
    expect(target.batches.map((batch) => batch.length)).to.deep.equal([10, 5, 5]);
    expect(target.arrived).to.have.length(15);
    const attempts = (await world.deliveries(id)).map((delivery) => delivery.attempts);
    expect(attempts.toSorted()).to.deep.equal([...Array(10).fill(1), ...Array(5).fill(2)]);
  });

  it("that are committed while a dispatcher looks for work are sent at once", async () => {
    const { target } = await world.destination();
    const objects = await world.objects(1);
    const { core } = world;
    const moments = new EventEmitter();
    const [looked, goOn] = [once(moments, "looked"), once(moments, "go on")];
    const reader = core.store.reader.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        moments.emit("looked");
        await goOn;
        return result;
      },
    });
    const dispatcher = world.dispatcher({}, { ...core, store: { ...core.store, reader } });
    const first = dispatcher.deliverDue();
    await looked;
    await world.change(objects);
    const second = dispatcher.deliverDue();
    moments.emit("go on");
    await second;
    expect(target.arrived).to.have.length(1);
    await first;
  });

  it("do not wait for a batch that came before and is not answered yet", async () => {
    const { target } = await world.destination();
    const moments = new EventEmitter();
    const [asked, answered] = [once(moments, "asked"), once(moments, "answered")];
    target.behaviour = async (...batch) => {
      target.behaviour = takeAll;
      moments.emit("asked");
      await answered;
      return takeAll(...batch);
    };
    const [first, second] = await world.objects(2);
    const dispatcher = world.dispatcher();
    await world.change([first as string]);
    const delivering = dispatcher.deliverDue();
    await asked;
    await world.change([second as string]);
    const later = dispatcher.deliverDue();
    while (target.arrived.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(target.arrived.map(({ key }) => key)).to.deep.equal([second]);
    moments.emit("answered");
    await Promise.all([delivering, later]);
    expect(target.arrived.map(({ key }) => key)).to.deep.equal([second, first]);
  });

  it("that another dispatcher took over are not recorded by the first one", async () => {
    const { id, target } = await world.destination();
    const answers: (() => void)[] = [];
    target.behaviour = async (batch, take, signal) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return takeAll(batch, take, signal);
    };
    await world.change(await world.objects(1));
    const late = world.dispatcher().deliverDue();
    while (answers.length < 1) await new Promise((resolve) => setImmediate(resolve));
    world.pass(MINUTE);
    const other = world.dispatcher().deliverDue();
    while (answers.length < 2) await new Promise((resolve) => setImmediate(resolve));
    answers[0]?.();
    await late;
    const [unsettled] = await world.deliveries(id);
    answers[1]?.();
    await other;
    const [settled] = await world.deliveries(id);
    expect(unsettled).to.include({ status: "pending", attempts: 0 });
    expect(settled).to.include({ status: "delivered", attempts: 1 });
  });
});
