import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { Budget, type Holder, RequestError, Turns } from "../../server/src/util";
import { refusedBeside } from "../support/refusal";

describe("A budget of work", () => {
  /** Queues jobs behind one that does not end before all are queued. */
  async function orderOf(jobs: readonly (readonly [project: string, owner: string])[]): Promise<string[]> {
    const budget = new Budget({ work: "jobs", size: 1 });
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

  it("goes to projects in turns and within one to its owners, in between to the one with the fewest jobs", async () => {
    const many = ["a1", "a2", "a3", "a1", "a2", "a3"].map((owner) => ["alpha", owner] as const);
    const order = await orderOf([...many, ["beta", "b1"], ["beta", "b1"], ["gamma", "c1"]]);
    expect(order).to.deep.equal([
      ...["alpha/a1", "gamma/c1", "beta/b1", "beta/b1", "alpha/a2", "alpha/a3", "alpha/a1", "alpha/a2"],
      "alpha/a3",
    ]);
  });

  it("refuses a job that waited too long or of whose owner too many wait, and forgets those whose caller left", async () => {
    const budget = new Budget({ work: "jobs", size: 1, maxWaiting: 2, maxWaitMs: 50 });
    const holder = { project: "alpha", owner: "a1" };
    let end = () => {};
    const first = budget.run(holder, () => new Promise<void>((done) => (end = done)));
    const caller = new AbortController();
    const left = budget
      .run(holder, async () => "done", { gone: caller.signal })
      .catch((error: Error) => error.name);
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
        const other = new Budget({ work: "jobs", size: 1 });
        return other.run(holder, async () => 200);
      },
    });
    end();
    await first;
    expect(await budget.run(holder, async () => "done")).to.equal("done");
    expect(budget.isFree(holder)).to.equal(true);
  });

  it("leaves a part for a project that has none, however many take as much as they can; alone, one takes all", () => {
    const holder = (project: string) => ({ project, owner: project });
    const takeAll = (budget: Budget, project: string): number => {
      for (let taken = 0; ; taken++) if (typeof budget.take(holder(project)) === "string") return taken;
    };
    const shared = new Budget({ work: "requests", size: 128 });
    for (let project = 0; project < 20; project++) shared.take(holder(`busy-${project}`));
    for (let project = 0; project < 20; project++) takeAll(shared, `busy-${project}`);
    expect(shared.take(holder("busy-0"))).to.equal("project");
    expect(takeAll(shared, "quiet")).to.be.at.least(1);
    expect(takeAll(new Budget({ work: "requests", size: 128 }), "alone")).to.equal(128);
    const owners = new Budget({ work: "bytes", size: 100 });
    const giveBack = owners.take(holder("alone"), { amount: 30, share: 50 });
    expect(owners.take(holder("alone"), { amount: 30, share: 50 })).to.equal("owner");
    if (typeof giveBack === "function") giveBack();
    expect(owners.take(holder("alone"), { amount: 30, share: 50 })).to.be.a("function");
  });

  it("keeps one of two turns for projects whose jobs were short lately", async () => {
    const budget = new Budget({ work: "jobs", size: 2 });
    const [busy, quiet] = ["busy", "quiet"].map((project) => ({ project, owner: "a" }));
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const job = (holder: Holder) =>
      budget.run(holder, () => {
        order.push(holder.project);
        return new Promise<void>((end) => ends.push(end));
      });
    if (!busy || !quiet) throw new Error("two holders");
    const first = job(busy);
    await sleep(1_000);
    ends.shift()?.();
    await first;
    const all = [job(busy), job(busy), job(quiet)];
    expect(order).to.deep.equal(["busy", "busy", "quiet"]);
    for (let ended = 0; ended < 3; ended++) {
      ends.shift()?.();
      await sleep(0);
    }
    await Promise.all(all);
    expect(order).to.deep.equal(["busy", "busy", "quiet", "busy"]);
  });

  it("lets a request of a quiet project begin before those of a busy one that came first", async () => {
    const turns = new Turns((project) => (project === "busy" ? 60 : 1));
    const order: string[] = [];
    const begin = async (project: string) => {
      await turns.take({ project, owner: "a" });
      order.push(project);
    };
    const busy = Array.from({ length: 60 }, () => begin("busy"));
    await nextTurn();
    await begin("quiet");
    expect(order.length).to.be.below(20);
    await Promise.all(busy);
    expect(order).to.have.length(61);
  });
});
