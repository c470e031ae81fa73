import { expect } from "chai";
import { turnsLeft } from "../../../server/src/acme/turns";

const SECOND_MS = 1_000;
const HOURS_MS = 3 * 60 * 60 * SECOND_MS;

/** Places an order as soon as there is a turn for it, and returns when each was placed. */
function placeAll(count: number, idleMs: (placed: number) => number): number[] {
  const placed: number[] = [];
  let now = Date.UTC(2026, 0, 1);
  while (placed.length < count) {
    now += idleMs(placed.length);
    while (placed.length < count && turnsLeft(placed, now) > 0) placed.push(now);
    now += SECOND_MS;
  }
  return placed;
}

const mostInThreeHours = (placed: readonly number[]): number =>
  Math.max(...placed.map((from) => placed.filter((at) => at >= from && at < from + HOURS_MS).length));

describe("Orders of certificates", () => {
  it("are fewer than 300 in any three hours, for 1,000 domains at once", () => {
    const placed = placeAll(1_000, () => 0);
    expect(mostInThreeHours(placed)).to.be.within(280, 290);
    expect(placed.filter((at) => at === placed[0])).to.have.length(20);
    expect((placed.at(-1) as number) - (placed[0] as number)).to.be.below(12 * 60 * 60 * SECOND_MS);
  });

  it("are fewer than 300 in any three hours, also where they come after pauses", () => {
    const placed = placeAll(1_000, (count) => (count % 50 === 0 ? 20 * 60 * SECOND_MS : 0));
    expect(mostInThreeHours(placed)).to.be.at.most(290);
  });
});
