import { TargetError } from "../../server/src/events/targets";
import { onEveryDatabase } from "../support/databases";
import { takeAll, World } from "../support/events";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const inOrder = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);

onEveryDatabase("Events", (_start, database) => {
  let world: World;
  beforeEach(async () => {
    world = await World.open(await database.create());
  });
  afterEach(() => world.close());

  it("arrive once, in order for each object, in batches as large as the service takes", async () => {
    const { target, id } = await world.destination();
    await world.change(await world.objects(12), 4);
    await world.dispatcher().deliverDue();
    expect(target.arrived).to.have.length(48);
    for (const changes of target.changesByObject.values())
      expect(changes).to.deep.equal(inOrder(changes)).and.to.have.length(4);
    for (const batch of target.batches) {
      expect(batch.length).to.be.at.most(10);
      expect(new Set(batch.map(({ key }) => key)).size, "of one object, one at a time").to.equal(
        batch.length,
      );
    }
    const deliveries = await world.deliveries(id);
    expect(deliveries.map(({ status, attempts }) => `${status} ${attempts}`)).to.deep.equal(
      Array(48).fill("delivered 1"),
    );
  });

  it("of one object share a batch if the service accepts batches up to some point", async () => {
    const { target } = await world.destination({ atomic: true });
    await world.change(await world.objects(1), 25);
    await world.dispatcher().deliverDue();
    expect(target.batches.map((batch) => batch.length)).to.deep.equal([10, 10, 5]);
    expect([...target.changesByObject.values()]).to.deep.equal([
      Array.from({ length: 25 }, (_, index) => index + 1),
    ]);
  });

  it("keep within the byte limit of the service", async () => {
    const { target } = await world.destination({
      limits: { count: 10, bytes: 3, recordBytes: 2 },
      sizeOf: () => 1,
    });
    await world.change(await world.objects(5));
    await world.dispatcher().deliverDue();
    expect(target.batches.map((batch) => batch.length)).to.deep.equal([3, 2]);
  });

  it("go once to a destination, however many subscriptions name it", async () => {
    const { id, target } = await world.destination();
    await world.subscribe([id], ["ip_policy_updated.v0", "ip_policy_deleted.v0"]);
    await world.change(await world.objects(1));
    await world.dispatcher().deliverDue();
    expect(target.arrived).to.have.length(1);
  });

  it("that failed are tried again after 0 s, 5 s, 30 s, 2 min, 10 min, then every hour, and given up after 24 hours", async () => {
    const { id, target } = await world.destination();
    target.behaviour = () => {
      throw new TargetError("refused: it is broken");
    };
    await world.change(await world.objects(1), 2);
    const dispatcher = world.dispatcher();
    const start = world.now.getTime();
    const tried: number[] = [];
    while (world.now.getTime() < start + 24 * HOUR + 2 * SECOND) {
      const before = target.batches.length;
      await dispatcher.deliverDue();
      for (let more = before; more < target.batches.length; more++)
        tried.push((world.now.getTime() - start) / SECOND);
      const [due] = await world.dueTimes();
      const next = due && new Date(due) > world.now ? new Date(due).getTime() : world.now.getTime() + HOUR;
      world.pass(next - world.now.getTime());
    }
    const schedule = [0, 0, 5, 35, 155, 755];
    for (let hour = 755 + 3600; hour < 24 * 3600; hour += 3600) schedule.push(hour);
    expect(tried.slice(0, schedule.length)).to.deep.equal(schedule);
    expect(tried[schedule.length]).to.equal(24 * 3600);
    const [first, second] = await world.deliveries(id);
    expect(first).to.include({ status: "dead", last_error: "refused: it is broken" });
    expect(second, "one that was given up does not hold up the next").to.include({ status: "pending" });
    expect(second?.attempts).to.be.at.least(1);
  });

  it("that will never be accepted are given up at once, with the reason", async () => {
    const { id, target } = await world.destination();
    const objects = await world.objects(3);
    target.behaviour = (batch, take, signal) =>
      batch.map((event) => {
        if (event.key === objects[1]) return { ok: false, error: "has too many bytes", permanent: true };
        takeAll([event], take, signal);
        return { ok: true };
      });
    await world.change(objects);
    await world.dispatcher().deliverDue();
    const deliveries = await world.deliveries(id);
    expect(deliveries.map(({ status }) => status)).to.have.members(["delivered", "dead", "delivered"]);
    expect(deliveries.find(({ object_id }) => object_id === objects[1])).to.include({
      status: "dead",
      attempts: 1,
      last_error: "has too many bytes",
    });
  });

  it("are sent again without the others if a service accepted only some of a batch", async () => {
    const { id, target } = await world.destination();
    const objects = await world.objects(3);
    let refused = false;
    target.behaviour = (batch, take, signal) =>
      batch.map((event) => {
        if (event.key === objects[1] && !refused) {
          refused = true;
          return { ok: false, error: "ProvisionedThroughputExceeded", throttled: true };
        }
        takeAll([event], take, signal);
        return { ok: true };
      });
    await world.change(objects);
    await world.dispatcher().deliverDue();
    expect(target.batches.map((batch) => batch.length)).to.deep.equal([3, 1]);
    const [failed] = (await world.deliveries(id)).filter(({ object_id }) => object_id === objects[1]);
    expect(failed).to.include({ status: "delivered", attempts: 2, last_error: null });
  });

  it("are sent again if a service refused their request, but not those of its other requests", async () => {
    const { id, target } = await world.destination();
    const objects = await world.objects(25);
    let refused: string[] = [];
    target.behaviour = (batch, take, signal) => {
      if (batch.length === 10 && target.arrived.length > 0 && refused.length === 0) {
        refused = batch.map(({ key }) => key);
        throw new TargetError("refused: the service was restarted");
      }
      return takeAll(batch, take, signal);
    };
    await world.change(objects);
    await world.dispatcher().deliverDue();
    expect(target.batches.map((batch) => batch.length)).to.deep.equal([10, 10, 5, 10]);
    expect(target.arrived.map(({ key }) => key).toSorted(), "each once").to.deep.equal(objects.toSorted());
    for (const { object_id, status, attempts } of await world.deliveries(id))
      expect({ status, attempts }).to.deep.equal({
        status: "delivered",
        attempts: refused.includes(object_id) ? 2 : 1,
      });
  });

  it("wait as long as the service's Retry-After says", async () => {
    const { target } = await world.destination();
    target.behaviour = () => {
      throw new TargetError("slow down", { throttled: true, retryAfterMs: 10 * MINUTE });
    };
    await world.change(await world.objects(1));
    const dispatcher = world.dispatcher();
    await dispatcher.deliverDue();
    await world.change(await world.objects(1));
    world.pass(9 * MINUTE);
    await dispatcher.deliverDue();
    expect(target.batches).to.have.length(1);
    world.pass(MINUTE);
    target.behaviour = takeAll;
    await dispatcher.deliverDue();
    expect(target.arrived).to.have.length(2);
  });

  it("arrive at one destination while another does not answer", async () => {
    const dead = await world.destination();
    const healthy = await world.destination();
    let end: () => void = () => undefined;
    const silence = new Promise<void>((resolve) => {
      end = resolve;
    });
    dead.target.behaviour = async () => {
      await silence;
      throw new TargetError("gave no answer within 30 s");
    };
    await world.change(await world.objects(40));
    const dispatcher = world.dispatcher();
    const delivering = dispatcher.deliverDue();
    const { arrived } = healthy.target;
    while (arrived.length < 40 || dead.target.batches.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    expect(dead.target.batches.length).to.be.at.most(4);
    dead.target.behaviour = takeAll;
    end();
    await delivering;
  });
});
