import { expect } from "chai";
import { nextAttempt } from "../../../server/src/events/delivery/retry";

const NOW = new Date("2026-11-22T12:00:00Z");
const waitOf = (attempts: number, random = 0.5, more: object = {}) => {
  const next = nextAttempt({ attempts, firstAttempt: NOW, ...more }, NOW, random);
  return next && (next.getTime() - NOW.getTime()) / 1000;
};

describe("An event that a service did not accept", () => {
  it("is tried again after 0 s, 5 s, 30 s, 2 min, 10 min, and then every hour", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 20].map((attempts) => waitOf(attempts))).to.deep.equal([
      0, 5, 30, 120, 600, 3600, 3600, 3600,
    ]);
  });

  it("waits up to a fifth more or less, so that not all come back at once", () => {
    expect([waitOf(5, 0), waitOf(5, 1)]).to.deep.equal([480, 720]);
  });

  it("waits as long as the service asks, but an hour at most", () => {
    expect(waitOf(1, 0.5, { retryAfterMs: 90_000 })).to.equal(90);
    expect(waitOf(1, 0.5, { retryAfterMs: 7_200_000 })).to.equal(3600);
  });

  it("is given up after 24 hours, or at once if another attempt cannot help", () => {
    const yesterday = new Date(NOW.getTime() - 24 * 3600_000);
    expect(waitOf(30, 0.5, { firstAttempt: yesterday })).to.equal(undefined);
    expect(waitOf(1, 0.5, { permanent: true })).to.equal(undefined);
  });

  it("gets its last attempt 24 hours after the first, never later", () => {
    const almost = new Date(NOW.getTime() - 24 * 3600_000 + 10_000);
    expect(waitOf(30, 1, { firstAttempt: almost })).to.equal(10);
  });
});
