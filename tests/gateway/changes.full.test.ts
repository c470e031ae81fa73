import { setTimeout as sleep } from "node:timers/promises";
import { compareAccess, decisions, findingsOf } from "@tunnelplane/sdk/meaning";
import { readAnswer } from "../../gateway/dist/trial/http1";
import { trialOfThisFile } from "../support/trial";
import { CHANGES } from "../unit/meaning/changes";
import { envoyOfThisFile } from "./traffic";
import { backend, httpsEdge, route, to } from "./worlds";

describe("Envoy does before and after a change what the comparison and the findings say, where", () => {
  const trial = trialOfThisFile();

  for (const [change, before, after] of CHANGES)
    it(change, async () => {
      const { opened, closed, moved } = compareAccess(before, after);
      const found = [...opened, ...closed, ...moved, ...findingsOf(before, after)];
      const anyway = ["www", "app"].map((name) => ({
        address: `${name}.example.com:443`,
        from: "198.51.100.7",
      }));
      const requests = [...anyway, ...found.flatMap(({ example }) => example?.request ?? [])];
      for (const world of [before, after]) {
        await trial.now.serve(world);
        const decider = decisions(world);
        for (const request of requests) {
          const [said, answer] = [decider.decide(request), await trial.now.ask(request)];
          expect(trial.now.agrees(said, answer), JSON.stringify({ request, said, answer })).to.equal(true);
        }
      }
    });
});

describe("While a host moves between a wildcard's edge and another one", () => {
  const gateway = envoyOfThisFile();
  /** So long a connection may be older than its request. */
  const AGE_MS = 300;

  it("each request on a connection from before gets what one of the two declarations says", async () => {
    const says = (id: string) => backend("http_response", id, { status_code: 200, body: id, headers: {} });
    const edge = (id: string, host: string, body: string) =>
      httpsEdge({ id, hostports: [`${host}:443`], routes: [route({ id: `r_${id}`, backend: to(body) })] });
    const bodies = ["wild", "another", "own"].map(says);
    // What the wildcard says in the new world is never for the host that leaves it.
    const worlds = [
      [edge("w", "*.example.com", "wild"), ...bodies],
      [edge("w", "*.example.com", "another"), edge("o", "app.example.com", "own"), ...bodies],
    ];
    const seen = new Map<string, number>();
    let isOver = false;
    const poll = async (age: number) => {
      while (!isOver) {
        const socket = await gateway.tls().catch(() => undefined);
        if (!socket) continue;
        await sleep(age);
        const { status, body } = await readAnswer(
          socket,
          "GET / HTTP/1.1\r\nhost: app.example.com\r\nconnection: close\r\n\r\n",
        );
        const said = status === 200 ? body : String(status);
        seen.set(said, (seen.get(said) ?? 0) + 1);
      }
    };
    await gateway.serve(worlds[0] ?? []);
    const polls = Array.from({ length: 20 }, (_, index) => poll((index * AGE_MS) / 20));
    for (let turn = 1; turn <= 12; turn++) {
      await gateway.serve(worlds[turn % 2] ?? []);
      await sleep(AGE_MS + 1200);
    }
    isOver = true;
    await Promise.all(polls);
    expect([...seen.keys()].sort()).to.deep.equal(["own", "wild"]);
  });
});
