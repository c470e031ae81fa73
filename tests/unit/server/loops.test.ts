import { present } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { CONCURRENCY, LONGEST_REST_MS, Loops } from "../../../server/src/events/delivery/loops";

const SOMETHING = "a batch";

/** Loops that go on when the test lets them, at a time that the test sets. */
function inTest() {
  const looks: ((found: string | undefined | Error) => void)[] = [];
  const errors: unknown[] = [];
  const clock = { ms: 1_000_000 };
  const loops = new Loops<string>({
    next: () =>
      new Promise((resolve, reject) => {
        looks.push((found) => (found instanceof Error ? reject(found) : resolve(found)));
      }),
    now: () => new Date(clock.ms),
    onError: (error) => errors.push(error),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    loops,
    errors,
    clock,
    /** Expects that so many looks for something to do are under way. */
    async looking(count: number): Promise<void> {
      await settled();
      expect(looks).to.have.length(count);
    },
    /** Lets the look that began first find something, or nothing, or fail. */
    async find(found: string | undefined | Error): Promise<void> {
      present(looks.shift())(found);
      await settled();
    },
    /** Wakes the loops until all of them run. */
    async fill(): Promise<void> {
      for (let loop = 0; loop < CONCURRENCY; loop++) loops.wake();
      expect(loops.mode).to.equal("full");
      await settled();
    },
  };
}

describe("Loops of work side by side", () => {
  it("work when they are woken, until nothing is found", async () => {
    const { loops, looking, find } = inTest();
    expect(loops.mode).to.equal("idle");
    loops.wake();
    expect(loops.mode).to.equal("working");
    await looking(1);
    await find(SOMETHING);
    expect(loops.mode).to.equal("working");
    await looking(1);
    await find(undefined);
    expect(loops.mode).to.equal("idle");
    await looking(0);
  });

  it("are joined by another when there is more, until all run", async () => {
    const { loops, looking, find } = inTest();
    loops.more();
    expect(loops.mode).to.equal("idle");
    loops.wake();
    for (let loop = 0; loop < CONCURRENCY; loop++) loops.more();
    expect(loops.mode).to.equal("full");
    await looking(CONCURRENCY);
    await find(undefined);
    expect(loops.mode).to.equal("working");
  });

  it("look again if they are woken while all run", async () => {
    const { loops, looking, find, fill } = inTest();
    await fill();
    loops.wake();
    expect(loops.mode).to.equal("woken");
    await find(SOMETHING);
    expect(loops.mode, "the next look sees what came").to.equal("full");
    loops.wake();
    await find(undefined);
    expect(loops.mode, "another loop looks").to.equal("full");
    await looking(CONCURRENCY);
    await find(undefined);
    expect(loops.mode).to.equal("working");
  });

  it("go on after one of them fails", async () => {
    const { loops, errors, looking, find } = inTest();
    loops.wake();
    loops.wake();
    await looking(2);
    await find(new Error("no database"));
    expect(errors.map(String)).to.deep.equal(["Error: no database"]);
    expect(loops.mode).to.equal("working");
    await find(undefined);
    await loops.ended();
    expect(loops.mode).to.equal("idle");
  });

  it("take nothing new during a rest, but end what they have begun", async () => {
    const { loops, clock, looking, find, fill } = inTest();
    await fill();
    loops.wake();
    loops.rest(1000);
    loops.rest(10);
    expect(loops.mode).to.equal("resting");
    for (let loop = 0; loop < CONCURRENCY; loop++) await find(undefined);
    clock.ms += 999;
    loops.wake();
    expect(loops.mode).to.equal("resting");
    expect(loops.mayTake).to.equal(false);
    await looking(0);
    clock.ms += 1;
    expect(loops.mayTake).to.equal(false);
    expect(loops.mode).to.equal("idle");
    loops.wake();
    await looking(1);
    expect(loops.mayTake).to.equal(true);
  });

  for (const [running, mode] of [
    [1, "working"],
    [CONCURRENCY, "full"],
  ] as const)
    it(`are ${mode} when a rest is over and ${running} of them run`, async () => {
      const { loops, clock } = inTest();
      for (let loop = 0; loop < running; loop++) loops.wake();
      loops.rest(1000);
      clock.ms += 1000;
      expect(loops.mayTake).to.equal(true);
      expect(loops.mode).to.equal(mode);
    });

  it("rest for an hour at most, and not at all if the clock was ahead when the rest began", async () => {
    const { loops, clock } = inTest();
    loops.wake();
    loops.rest(LONGEST_REST_MS * 2);
    clock.ms += LONGEST_REST_MS;
    expect(loops.mayTake).to.equal(true);
    loops.rest(1000);
    clock.ms -= LONGEST_REST_MS;
    expect(loops.mayTake).to.equal(true);
  });

  it("stop when those that run have ended, or at once if none does", async () => {
    const { loops, looking, find, fill } = inTest();
    await fill();
    loops.stop();
    loops.rest(1000);
    loops.wake();
    expect(loops.mode).to.equal("stopping");
    expect(loops.mayTake).to.equal(false);
    for (let loop = 0; loop < CONCURRENCY; loop++) await find(undefined);
    await loops.ended();
    expect(loops.mode).to.equal("stopped");
    loops.wake();
    await looking(0);

    const others = inTest();
    others.loops.stop();
    others.loops.wake();
    expect(others.loops.mode).to.equal("stopped");
    await others.looking(0);
  });
});
