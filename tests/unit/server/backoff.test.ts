import { expect } from "chai";
import { nextAttempt } from "../../../server/src/events/delivery/retry";

const NOW = new Date("2026-11-22T12:00:00Z");
const waitOf = (attempts: number, random = 0.5, more: object = {}) => {
  const next = nextAttempt({ attempts, firstAttempt: NOW, ...more }, NOW, random);
  return next && (next.getTime() - NOW.getTime()) / 1000;
};

describe("An event that a service did not accept", () => {
  it("waits up to a fifth more or less, an hour at most, and gets its last attempt 24 hours after the first", () => {
    expect([waitOf(5, 0), waitOf(5, 1)]).to.deep.equal([480, 720]);
    expect(waitOf(1, 0.5, { retryAfterMs: 7_200_000 })).to.equal(3600);
    const almost = new Date(NOW.getTime() - 24 * 3600_000 + 10_000);
    expect(waitOf(30, 1, { firstAttempt: almost })).to.equal(10);
  });
});
