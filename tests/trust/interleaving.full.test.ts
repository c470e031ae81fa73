import { definitionNamed } from "@tunnelplane/sdk/contract";
import { verifyAudit } from "../../server/src/journal";
import { inSnapshot } from "../../server/src/storage";
import { eventPage } from "../../server/src/view";
import { onEveryDatabase, optionsOf } from "../support/databases";
import { type StandInTarget, World } from "../support/events";
import { LIMIT_MS, size } from "../support/size";
import { Dice } from "./mutations";

const POLICY = definitionNamed("ip_policy");
const [WRITERS, READERS, SUBSCRIBERS] = [8, 3, 3];
const CHANGES = size(60, 1000);
const SEED = 20_261_122;

/** What one object went through, as its writer knows. */
interface Model {
  readonly id: string;
  /** Changes are numbered from 1. */
  begun: number;
  acknowledged: number;
}

/** A destination that somebody subscribed amid the changes, and what may and must arrive there. */
interface Subscribed {
  readonly target: StandInTarget;
  readonly acknowledgedBefore: ReadonlyMap<string, number>;
  readonly begunUntil: ReadonlyMap<string, number>;
}

onEveryDatabase(
  "Two servers whose writers, sequencers, readers and subscribers go on at random",
  (_start, database) => {
    let data: string;
    let worlds: World[];
    before("open the database twice", async () => {
      data = await database.create();
      worlds = [await World.open(data), await World.open(data)];
      for (const { core } of worlds)
        core.sequencer.start({
          onMoved: () => undefined,
          logger: { error: (details) => console.error(details) },
        });
    });

    it(`report each change once, in order, to readers and from each subscription on: ${WRITERS * CHANGES} changes`, async function () {
      this.timeout(LIMIT_MS);
      const dice = new Dice(SEED); // the same numbers in each run
      const random = (below: number) => dice.below(below);
      const anyWorld = () => worlds[random(worlds.length)] as World;
      const models: Model[] = [];
      for (const id of await anyWorld().objects(WRITERS * 2)) models.push({ id, begun: 0, acknowledged: 0 });
      const subscribed: Subscribed[] = [];
      let left = WRITERS;
      const write = async (own: readonly Model[]) => {
        for (let change = 0; change < CHANGES; change++) {
          const model = own[random(own.length)] as Model;
          const { core, resources } = anyWorld();
          const number = ++model.begun;
          await resources.update(POLICY, { id: model.id }, { description: `${number}` });
          model.acknowledged = number;
          core.sequencer.wake();
        }
        left--;
      };
      const read = async () => {
        while (left > 0) {
          await new Promise((resolve) => setImmediate(resolve)); // SQLite answers at once, and writers want a turn
          const { id, acknowledged } = models[random(models.length)] as Model;
          const { core } = anyWorld();
          await core.sequencer.settle();
          const versions = await changesInEventsOf(core, id);
          const begun = models.find((model) => model.id === id)?.begun ?? 0;
          expect(versions, `events of ${id}`).to.deep.equal(versions.map((_, index) => index + 1));
          expect(versions.length).to.be.within(acknowledged, begun);
        }
      };
      const subscribe = async () => {
        const [world] = worlds as [World];
        // Some changes first.
        const from = random(WRITERS * CHANGES * 0.8);
        while (left > 0 && models.reduce((sum, { begun }) => sum + begun, 0) < from)
          await new Promise((resolve) => setImmediate(resolve));
        const acknowledgedBefore = new Map(models.map(({ id, acknowledged }) => [id, acknowledged]));
        const { target } = await world.destination();
        subscribed.push({
          target,
          acknowledgedBefore,
          begunUntil: new Map(models.map(({ id, begun }) => [id, begun])),
        });
      };
      await Promise.all([
        ...Array.from({ length: WRITERS }, (_, index) => write(models.slice(2 * index, 2 * index + 2))),
        ...Array.from({ length: READERS }, read),
        ...Array.from({ length: SUBSCRIBERS }, subscribe),
      ]);
      await (worlds[0] as World).core.sequencer.settle();
      for (const { id, begun } of models) {
        expect(await changesInEventsOf((worlds[1] as World).core, id), `events of ${id}`).to.deep.equal(
          Array.from({ length: begun }, (_, i) => i + 1),
        );
      }
      const [world] = worlds as [World];
      const dispatcher = world.dispatcher();
      for (let round = 0; round < 100; round++) {
        await dispatcher.deliverDue();
        world.pass(1000);
      }
      expect(subscribed).to.have.length(SUBSCRIBERS);
      for (const { target, acknowledgedBefore, begunUntil } of subscribed) {
        for (const { id, begun } of models) {
          const arrived = target.changesByObject.get(id) ?? [];
          const first = begun - arrived.length + 1;
          expect(arrived, `what arrived of ${id}`).to.deep.equal(
            Array.from({ length: arrived.length }, (_, i) => first + i),
          );
          expect(first).to.be.greaterThan(acknowledgedBefore.get(id) ?? 0);
          expect(first).to.be.at.most((begunUntil.get(id) ?? 0) + 1);
        }
      }
      const { faults } = await inSnapshot(optionsOf(data), (snapshot) =>
        verifyAudit(snapshot, world.core, []),
      );
      expect(faults).to.deep.equal([]);
    });
  },
);

/** The numbers of the changes in the event log, oldest first. */
async function changesInEventsOf({ store }: World["core"], id: string): Promise<number[]> {
  const { documents } = await eventPage(
    store,
    { project: undefined },
    { type: "ip_policy_updated.v0", objectId: id },
    { limit: 10_000, bytes: 1e9 },
  );
  return documents.map((document) => Number(JSON.parse(document).object.description)).reverse();
}
