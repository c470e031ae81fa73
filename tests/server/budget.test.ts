import { expect } from "chai";
import { Budget, RequestError } from "../../server/src/util";
import { refusedBeside } from "../support/refusal";

describe("A budget of work", () => {
  /** Queues jobs behind one that does not end before all are queued. */
  async function orderOf(jobs: readonly (readonly [project: string, owner: string])[]): Promise<string[]> {
    const budget = new Budget({ work: "jobs", atOnce: 1 });
    const order: string[] = [];
    let begin = () => {};
    const first = budget.run({ project: "", owner: "" }, () => new Promise<void>((end) => (begin = end)));
    const queued = jobs.map(([project, owner]) =>
      budget.run({ project, owner }, async () => void order.push(`${project}/${owner}`)),
    );
    begin();
    await Promise.all([first, ...queued]);
    return order;
  }

  it("goes to projects in turns, and within a project to its owners, however many jobs one has queued", async () => {
    const many = ["a1", "a2", "a3", "a1", "a2", "a3"].map((owner) => ["alpha", owner] as const);
    const order = await orderOf([...many, ["beta", "b1"], ["beta", "b1"], ["gamma", "c1"]]);
    expect(order).to.deep.equal([
      "alpha/a1",
      "beta/b1",
      "gamma/c1",
      "alpha/a2",
      "beta/b1",
      "alpha/a3",
      "alpha/a1",
      "alpha/a2",
      "alpha/a3",
    ]);
  });

  it("refuses a job that waited too long or of whose owner too many wait, and forgets those whose caller left", async () => {
    const budget = new Budget({ work: "jobs", atOnce: 1, maxWaiting: 2, maxWaitMs: 50 });
    const holder = { project: "alpha", owner: "a1" };
    let end = () => {};
    const first = budget.run(holder, () => new Promise<void>((done) => (end = done)));
    const caller = new AbortController();
    const left = budget.run(holder, async () => "done", caller.signal).catch((error: Error) => error.name);
    const late = budget.run(holder, async () => "done").catch((error: Error) => error);
    const third = budget.run(holder, async () => "done").catch((error: Error) => error);
    caller.abort();
    expect(await left).to.equal("AbortError");
    const [tooMany, tooLate] = [await third, await late];
    for (const [error, why] of [
      [tooMany, "2 jobs of this API key's owner wait already"],
      [tooLate, "This waited 0.05 s for its turn: the server has many jobs"],
    ] as const) {
      expect(error).to.be.instanceOf(RequestError);
      expect((error as RequestError).message).to.contain(why);
    }
    await refusedBeside({
      refused: () => budget.run(holder, async () => 200),
      as: /This waited/,
      allowed: async () => {
        const other = new Budget({ work: "jobs", atOnce: 1 });
        return other.run(holder, async () => 200);
      },
    });
    end();
    await first;
    expect(await budget.run(holder, async () => "done")).to.equal("done");
    expect(budget.isFree).to.equal(true);
  });
});
