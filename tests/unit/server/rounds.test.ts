import { expect } from "chai";
import { Rounds } from "../../../server/src/util/rounds";

/** Rounds that go on when the test lets them, and an error or an answer for each. */
function inTest() {
  const begun: ((isDone: boolean | Error) => void)[] = [];
  const errors: unknown[] = [];
  const waiting: (() => void)[] = [];
  const rounds = new Rounds({
    work: () =>
      new Promise((resolve, reject) => {
        begun.push((end) => (end instanceof Error ? reject(end) : resolve(end)));
        for (const go of waiting.splice(0)) go();
      }),
    pauseMs: () => 0,
    pollMs: 60_000,
    onError: (error) => errors.push(error),
  });
  return {
    rounds,
    errors,
    /** Waits until so many rounds have begun in all. */
    async begun(count: number): Promise<void> {
      while (begun.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      expect(begun.length).to.equal(count);
      expect(rounds.mode).to.equal("working");
    },
    /** Ends a round, and waits until the mode has changed. */
    async end(round: number, end: boolean | Error): Promise<void> {
      begun[round - 1]?.(end);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/**
 * What happens, a step each: `wake`, `start`, `stop`, `ask` for a round; `begin N`; `end N done` or `more`.
 * After "→" stands the mode.
 */
const STORIES: Readonly<Record<string, string>> = {
  "do nothing before they start and after they stop, unless somebody asks for a round":
    "wake → stopped; ask; begin 1; end 1 done → stopped; start → idle; stop; wake → stopped",
  "may start during a round that somebody asked for": "ask; begin 1; start; end 1 done → idle; stop",
  "go on if they start again before the round in which they were stopped has ended":
    "start; ask; begin 1; stop; start; wake; end 1 done; begin 2; end 2 done → idle; stop",
  "gather when they are woken, work, and are idle when all is done":
    "start; wake; wake → gathering; begin 1; end 1 done → idle; stop",
  "gather again after a round that did not do everything, or in which they were woken":
    "start; wake; begin 1; end 1 more; begin 2; wake; end 2 done; begin 3; end 3 done → idle; stop",
  "stop after the round under way": "start; wake; begin 1; wake; stop → stopping; end 1 more → stopped",
  "drop the round that they gathered for": "start; wake → gathering; stop → stopped; wake → stopped",
};

describe("Rounds of work", () => {
  for (const [promise, story] of Object.entries(STORIES))
    it(promise, async () => {
      const { rounds, begun, end } = inTest();
      const steps: Readonly<Record<string, (round: number, how: string) => unknown>> = {
        wake: () => rounds.wake(),
        start: () => rounds.start(),
        stop: () => void rounds.stop(),
        ask: () => void rounds.round(),
        begin: (round) => begun(round),
        end: (round, how) => end(round, how === "done"),
      };
      for (const line of story.split("; ")) {
        const [step = "", mode] = line.split(" → ");
        const [name = "", round, how = ""] = step.split(" ");
        await steps[name]?.(Number(round), how);
        if (mode !== undefined) expect(rounds.mode, line).to.equal(mode);
      }
      await rounds.stop();
    });

  it("begin at once for somebody who asks, and once more for all who ask during a round", async () => {
    const { rounds, begun, end } = inTest();
    rounds.start();
    rounds.wake();
    const first = rounds.round();
    expect(rounds.mode).to.equal("working");
    await begun(1);
    const [second, same] = [rounds.round(), rounds.round()];
    expect(same).to.equal(second);
    await end(1, true);
    expect(await first).to.equal(true);
    await begun(2);
    await end(2, true);
    expect(await second).to.equal(true);
    expect(rounds.mode).to.equal("idle");
    await rounds.stop();
  });

  it("are idle after an error, which goes to those who asked for the round, or to the log", async () => {
    const { rounds, errors, begun, end } = inTest();
    rounds.start();
    rounds.wake();
    await begun(1);
    await end(1, new Error("first"));
    expect(errors.map(String)).to.deep.equal(["Error: first"]);
    expect(rounds.mode).to.equal("idle");
    const asked = rounds.round().catch(String);
    await begun(2);
    await end(2, new Error("second"));
    expect(await asked).to.equal("Error: second");
    expect(errors).to.have.length(1);
    await rounds.stop();
  });
});
