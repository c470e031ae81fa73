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

/**
 * What happens, a step each: `wake`, `more`, `stop`, `rest MS`, `pass MS`; `fill` wakes all of them; `find
 * some`, and `find none N` where N of them find nothing; `looking N`; `may` and `may not` take work. After
 * "→" stands the mode.
 */
const STORIES: Readonly<Record<string, string>> = {
  "work when they are woken, until nothing is found":
    "pass 0 → idle; wake → working; looking 1; find some → working; looking 1; find none 1 → idle; looking 0",
  "are joined by another when there is more, until all run": `more → idle; wake; ${"more; ".repeat(CONCURRENCY)}looking ${CONCURRENCY} → full; find none 1 → working`,
  "look again if they are woken while all run": `fill; wake → woken; find some → full; wake; find none 1 → full; looking ${CONCURRENCY}; find none 1 → working`,
  "take nothing new during a rest, but end what they have begun": `fill; wake; rest 1000; rest 10 → resting; find none ${CONCURRENCY}; pass 999; wake → resting; may not; looking 0; pass 1; may not → idle; wake; looking 1; may`,
  "are working when a rest is over and one of them runs": "wake; rest 1000; pass 1000; may → working",
  "are full when a rest is over and all of them run": "fill; rest 1000; pass 1000; may → full",
  "rest for an hour at most, and not at all if the clock was ahead when the rest began": `wake; rest ${2 * LONGEST_REST_MS}; pass ${LONGEST_REST_MS}; may; rest 1000; pass ${-LONGEST_REST_MS}; may`,
  "stop when those that run have ended": `fill; stop; rest 1000; wake → stopping; may not; find none ${CONCURRENCY} → stopped; wake; looking 0`,
  "stop at once if none runs": "stop; wake → stopped; looking 0",
};

describe("Loops of work side by side", () => {
  for (const [promise, story] of Object.entries(STORIES))
    it(promise, async () => {
      const { loops, clock, looking, find, fill } = inTest();
      const steps: Readonly<Record<string, (words: readonly string[]) => unknown>> = {
        wake: () => loops.wake(),
        more: () => loops.more(),
        stop: () => loops.stop(),
        fill,
        rest: ([ms]) => loops.rest(Number(ms)),
        pass: ([ms]) => {
          clock.ms += Number(ms);
        },
        looking: ([count]) => looking(Number(count)),
        find: async ([what, times = "1"]) => {
          for (let time = 0; time < Number(times); time++)
            await find(what === "some" ? SOMETHING : undefined);
        },
        may: ([not]) => expect(loops.mayTake, story).to.equal(not === undefined),
      };
      for (const line of story.split("; ")) {
        const [step = "", mode] = line.split(" → ");
        const [name = "", ...words] = step.split(" ");
        await steps[name]?.(words);
        if (mode !== undefined) expect(loops.mode, line).to.equal(mode);
      }
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
});
