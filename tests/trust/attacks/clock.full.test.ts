import { TargetError } from "../../../server/src/events/targets";
import { onEveryDatabase } from "../../support/databases";
import { takeAll, World } from "../../support/events";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

onEveryDatabase("A clock that was a day ahead and is corrected", (_start, database) => {
  let world: World;
  beforeEach(async () => {
    world = await World.open(await database.create());
    world.pass(DAY);
  });
  afterEach(() => world.close());

  /** A destination whose service refused all while the clock was ahead, until the back-off was an hour. */
  async function refused(error = new TargetError("refused: it is broken")) {
    const { target } = await world.destination();
    target.behaviour = () => {
      throw error;
    };
    await world.change(await world.objects(3), 2);
    const dispatcher = world.dispatcher();
    for (let attempt = 0; attempt < 6; attempt++) {
      await dispatcher.deliverDue();
      world.pass(15 * MINUTE);
    }
    target.behaviour = takeAll;
    return { target, dispatcher };
  }

  it("does not make deliveries that failed meanwhile wait until tomorrow", async () => {
    const { target } = await refused();
    world.pass(-DAY);
    await world.dispatcher().deliverDue();
    expect(target.arrived).to.have.length(6);
  });

  it("does not make them wait on a server that kept running, even if the service sent Retry-After", async () => {
    const { target, dispatcher } = await refused(
      new TargetError("has too much to do", { throttled: true, retryAfterMs: 30 * MINUTE }),
    );
    world.pass(-DAY);
    await dispatcher.deliverDue();
    expect(target.arrived).to.have.length(6);
  });

  it("keeps the batch of a killed server for a minute only, and sends the later events of each object after it", async () => {
    const { target } = await world.destination();
    target.behaviour = () => new Promise(() => undefined);
    const objects = await world.objects(3);
    await world.change(objects, 2);
    void world.dispatcher().deliverDue();
    while (target.batches.length === 0) await new Promise((resolve) => setImmediate(resolve));
    world.dispatchers.shift(); // it never ends
    target.behaviour = takeAll;
    world.pass(-DAY);
    const other = world.dispatcher();
    await other.deliverDue();
    expect(target.arrived, "it may still be sending").to.deep.equal([]);
    world.pass(MINUTE);
    await other.deliverDue();
    expect(target.arrived).to.have.length(6);
    for (const changes of target.changesByObject.values())
      expect(changes).to.deep.equal(changes.toSorted((a, b) => a - b));
  });

  it("does not shorten a regular wait", async () => {
    const { target } = await refused();
    const { arrived } = target;
    const other = world.dispatcher();
    const due = async () => (await world.dueTimes()).at(-1);
    const before = await due();
    await other.deliverDue();
    expect(arrived).to.deep.equal([]);
    expect(await due()).to.equal(before);
  });
});
