import { type DeliveryTarget, type Outgoing, TargetError } from "../../server/src/events/targets";
import type { Sent } from "../../server/src/events/targets/target";
import { onEveryDatabase } from "../support/databases";
import { type Behaviour, takeAll, World } from "../support/events";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const STEP = 20 * SECOND;

/** Numbers from 0 up to 1 that look random and are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const BAD_DAYS: Record<string, (random: () => number, atomic: boolean) => Behaviour> = {
  down: () => () => {
    throw new TargetError("cannot be reached: connect ECONNREFUSED");
  },
  throttling: () => () => {
    throw new TargetError("slow down", { throttled: true, retryAfterMs: 45 * SECOND });
  },
  "taking some only": (random, atomic) => (batch, take) => {
    let refusing = false;
    return batch.map((event): Sent => {
      refusing = (atomic && refusing) || random() < 0.3;
      if (refusing) return { ok: false, error: "InternalFailure: try again" };
      take(event);
      return { ok: true };
    });
  },
  "resetting the connection after it has taken everything": () => (batch, take) => {
    for (const event of batch) take(event);
    throw new TargetError("cannot be reached: read ECONNRESET");
  },
};

onEveryDatabase("An hour in which services fail and dispatchers are killed", (_start, database) => {
  for (const atomic of [false, true]) {
    it(`loses no event, and keeps ids and the order for each object, with a target that is ${atomic ? "" : "not "}atomic`, async () => {
      const random = seeded(atomic ? 7 : 11);
      const world = await World.open(await database.create());
      const { id, target } = await world.destination({ atomic });
      const objects = await world.objects(8);
      const start = world.now.getTime();
      let kills = 0;
      /** A dispatcher that is killed in the middle of a batch, when its service has taken some of it. */
      const killedDispatcher = async () => {
        let kill: () => void = () => undefined;
        const killed = new Promise<void>((resolve) => {
          kill = resolve;
        });
        const send = async (batch: readonly Outgoing[]): Promise<Sent[]> => {
          const taken = Math.floor(random() * (batch.length + 1));
          target.arrived.push(...batch.slice(0, taken));
          kill();
          return new Promise(() => undefined);
        };
        const dying = {
          limits: target.limits,
          atomic,
          sizeOf: target.sizeOf,
          close: () => undefined,
          send,
        } satisfies DeliveryTarget;
        const dispatcher = world.dispatcher({ openTarget: () => dying });
        world.dispatchers.pop(); // nobody can stop it
        kills++;
        await Promise.race([killed, dispatcher.deliverDue()]);
      };
      let dispatcher = world.dispatcher({ random });
      while (world.now.getTime() < start + HOUR) {
        await world.change(objects.filter(() => random() < 0.25));
        const names = Object.keys(BAD_DAYS);
        const today = names[Math.floor(random() * names.length * 2)];
        target.behaviour = (today && BAD_DAYS[today]?.(random, atomic)) || takeAll;
        if (random() < 0.1) {
          await killedDispatcher();
          dispatcher = world.dispatcher({ random });
        } else await dispatcher.deliverDue();
        world.pass(STEP);
      }
      target.behaviour = takeAll;
      for (let hours = 0; hours < 3; hours++) {
        world.pass(HOUR);
        await dispatcher.deliverDue();
      }
      const deliveries = await world.deliveries(id);
      expect(deliveries.filter(({ status }) => status !== "delivered")).to.deep.equal([]);
      const bodies = new Map<string, Set<string>>();
      for (const event of target.arrived)
        bodies.set(event.id, (bodies.get(event.id) ?? new Set()).add(event.body));
      expect(bodies.size, "none lost, none made up").to.equal(deliveries.length).and.to.be.greaterThan(100);
      expect([...bodies.values()].every((versions) => versions.size === 1)).to.equal(true);
      for (const [id, changes] of target.changesByObject)
        expect(changes, id).to.deep.equal(changes.toSorted((a, b) => a - b));
      expect(kills).to.be.greaterThan(5);
      expect(target.arrived.length, "some arrived more than once").to.be.greaterThan(bodies.size);
      await world.close();
    });
  }
});
