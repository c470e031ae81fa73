import { apiOnEveryDatabase, hostport, unique } from "../support/api/expect";
import { declared, ref, SetInTest } from "./support";

apiOnEveryDatabase("Change sets beside other changes", (server) => {
  it("are all applied or refused as a whole while others change the same objects", async () => {
    const { rest } = server;
    const set = new SetInTest(rest, unique("set"));
    const served = [hostport(), hostport(), hostport()];
    const edges = (round: number) =>
      served.map((_, index) =>
        declared("tls_edge", `e${index}`, {
          hostports: [served[(index + round) % served.length]],
          backend: { backend_id: ref("static_backend/web") },
          description: `round ${round}`,
        }),
      );
    const objects = (round: number) => [
      declared("static_backend", "web", { address: "10.0.0.1:80", description: `round ${round}` }),
      ...edges(round),
    ];
    await set.apply(objects(0));
    const ids = await set.ids();
    const others = Array.from({ length: 20 }, (_, n) =>
      rest.patch(`/edges/tls/${ids[`tls_edge/e${n % 3}`]}`, { metadata: `${n}` }),
    );
    const sets = Array.from({ length: 6 }, (_, round) => set.send(objects(round + 1)));
    const answers = await Promise.all([...others, ...sets]);
    for (const { status, text } of answers) expect([200, 503], text).to.include(status);
    await set.apply(objects(7));
    const edge = async (n: number) => (await rest.get(`/edges/tls/${ids[`tls_edge/e${n}`]}`)).body;
    const now = await Promise.all([edge(0), edge(1), edge(2)]);
    expect(now.map(({ description }) => description)).to.deep.equal(["round 7", "round 7", "round 7"]);
    expect(now.map(({ hostports }) => hostports[0])).to.deep.equal([served[1], served[2], served[0]]);
    expect(now.every(({ metadata }) => metadata !== "")).to.equal(true);
  });

  it("of two that create the same set at once, one makes the objects and the other finds them", async () => {
    const { rest } = server;
    const set = new SetInTest(rest, unique("set"));
    const objects = [
      declared("tls_edge", "app", { hostports: [hostport()] }),
      declared("ip_policy", "office"),
    ];
    const [one, other] = await Promise.all([set.send(objects), set.send(objects)]);
    expect([one?.status, other?.status], `${one?.text} ${other?.text}`).to.deep.equal([200, 200]);
    expect([one?.body.operations.length, other?.body.operations.length].sort()).to.deep.equal([0, 2]);
  });

  it("of two that adopt the same object at once, one gets it and the other is refused", async () => {
    const { rest } = server;
    const { id } = (await rest.post("/ip_policies", {})).body;
    const answers = await Promise.all(
      [unique("set"), unique("set")].map((name) =>
        new SetInTest(rest, name).send([declared("ip_policy", "office", {}, id)]),
      ),
    );
    expect(answers.map(({ status }) => status).sort(), answers.map(({ text }) => text).join()).to.deep.equal([
      200, 409,
    ]);
  });

  it("lets others read and write while a set of 5,000 objects is applied, who see none of it before all of it", async () => {
    const { rest } = server;
    const set = new SetInTest(rest, unique("set"));
    const objects = Array.from({ length: 5_000 }, (_, n) =>
      declared("ip_policy", `p${n}`, { description: `policy ${n}` }),
    );
    let isDone = false;
    const applied = set.apply(objects).finally(() => {
      isDone = true;
    });
    const [counts, written]: [Set<number>, number[]] = [new Set(), []];
    while (!isDone) {
      const { body } = await rest.get("/changesets");
      counts.add(body.changesets[0].set === set.name ? body.changesets[0].object_count : 0);
      written.push((await rest.post("/backends/static", { address: "10.0.0.1:80" })).status);
    }
    expect(await applied).to.have.length(5_000);
    expect([...counts].filter((count) => count !== 0 && count !== 5_000)).to.deep.equal([]);
    expect(counts.has(0)).to.equal(true);
    expect(written.filter((status) => status === 201).length).to.be.greaterThan(1);
  });
});
