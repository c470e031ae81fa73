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

describe("Rounds of work", () => {
  it("do nothing before they start and after they stop, unless somebody asks for a round", async () => {
    const { rounds, begun, end } = inTest();
    rounds.wake();
    expect(rounds.mode).to.equal("stopped");
    const round = rounds.round();
    await begun(1);
    await end(1, true);
    expect(await round).to.equal(true);
    expect(rounds.mode).to.equal("stopped");
    rounds.start();
    expect(rounds.mode).to.equal("idle");
    await rounds.stop();
    rounds.wake();
    expect(rounds.mode).to.equal("stopped");
  });

  it("may start during a round that somebody asked for", async () => {
    const { rounds, begun, end } = inTest();
    void rounds.round();
    await begun(1);
    rounds.start();
    await end(1, true);
    expect(rounds.mode).to.equal("idle");
    await rounds.stop();
  });

  it("go on if they start again before the round in which they were stopped has ended", async () => {
    const { rounds, begun, end } = inTest();
    rounds.start();
    void rounds.round();
    await begun(1);
    const stopped = rounds.stop();
    rounds.start();
    rounds.wake();
    await end(1, true);
    await stopped;
    await begun(2);
    await end(2, true);
    expect(rounds.mode).to.equal("idle");
    await rounds.stop();
  });

  it("gather when they are woken, work, and are idle when all is done", async () => {
    const { rounds, begun, end } = inTest();
    rounds.start();
    rounds.wake();
    rounds.wake();
    expect(rounds.mode).to.equal("gathering");
    await begun(1);
    await end(1, true);
    expect(rounds.mode).to.equal("idle");
    await rounds.stop();
  });

  it("gather again after a round that did not do everything, or in which they were woken", async () => {
    const { rounds, begun, end } = inTest();
    rounds.start();
    rounds.wake();
    await begun(1);
    await end(1, false);
    await begun(2);
    rounds.wake();
    await end(2, true);
    await begun(3);
    await end(3, true);
    expect(rounds.mode).to.equal("idle");
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

  it("stop after the round under way, and drop the one they gathered for", async () => {
    const { rounds, begun, end } = inTest();
    rounds.start();
    rounds.wake();
    await begun(1);
    rounds.wake();
    const stopped = rounds.stop();
    expect(rounds.mode).to.equal("stopping");
    await end(1, false);
    await stopped;
    expect(rounds.mode).to.equal("stopped");

    rounds.start();
    rounds.wake();
    expect(rounds.mode).to.equal("gathering");
    await rounds.stop();
    expect(rounds.mode).to.equal("stopped");
  });
});
