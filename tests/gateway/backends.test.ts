import { envoyOfThisFile, Upstream } from "./traffic";
import { backend, fixed, httpsEdge, route, tlsEdge, to } from "./worlds";

const DEAD = [1, 2, 3].map((port) => fixed(`dead${port}`, `127.0.0.1:${port}`));
const failover = (id: string, ...backends: string[]) => backend("failover", id, { backends });
const weighted = (id: string, backends: Record<string, number>) => backend("weighted", id, { backends });

describe("A backend inside of other backends", () => {
  const gateway = envoyOfThisFile();
  let last: Upstream;
  before("start a second program", async () => {
    last = await Upstream.start("last");
  });

  /** Serves backends, one on a route, and all of them again on a TLS edge. */
  const serve = (top: string, ...backends: { kind: string; fields: object }[]) =>
    gateway.serve([
      httpsEdge({ routes: [route({ backend: to(top) })] }),
      tlsEdge({ backend: to(top) }),
      fixed("one", gateway.state.upstream.address),
      fixed("last", last.address),
      ...DEAD,
      ...backends,
    ]);
  async function answers(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const sni of ["app.example.com", "db.example.com"])
      for (let index = 0; index < 20; index++) {
        const { status, body } = await gateway.http1("/", { sni });
        const name = status === 200 ? (JSON.parse(body) as { name: string }).name : String(status);
        counts[name] = (counts[name] ?? 0) + 1;
      }
    return counts;
  }

  it("is not passed over at any depth, where several share it, or in a weighted one with a single weight", async () => {
    await serve(
      "outer",
      failover("outer", "nothing", "a", "b", "last"),
      failover("a", "dead1", "shared"),
      failover("b", "shared", "one"),
      failover("shared", "dead2", "deeper"),
      failover("deeper", "dead3", "only"),
      weighted("only", { deepest: 5, last: 0 }),
      failover("deepest", "dead1", "one"),
      failover("nothing"),
    );
    expect(await answers()).to.deep.equal({ one: 40 });
  });

  it("is refused with the reason where a failover has another backend after a weighted one, at any depth", async () => {
    const both = weighted("both", { one: 1, last: 1 });
    for (const order of [
      [failover("outer", "both", "last")],
      [failover("outer", "inner", "last"), failover("inner", "dead1", "both")],
    ]) {
      const { edges } = await serve("outer", ...order, both);
      for (const { state, reason } of edges) {
        expect(state).to.equal("rejected");
        expect(reason)
          .to.contain("the backend both cannot be followed by another in a failover backend")
          .and.to.contain("Put it last");
      }
    }
  });

  it("is passed over in a failover until its name is resolved; alone, it answers nothing, and others are served", async () => {
    const { edges } = await serve(
      "outer",
      failover("outer", "unknown", "one"),
      fixed("unknown", "nowhere.internal:80"),
    );
    expect(edges.map(({ state }) => state)).to.deep.equal(["applied", "applied"]);
    expect(await answers()).to.deep.equal({ one: 40 });
    await serve("unknown", fixed("unknown", "nowhere.internal:80"));
    expect(await answers()).to.deep.equal({ "503": 20, "0": 20 });
  });

  it("is looked at once, however many ways lead to it", async () => {
    const levels = Array.from({ length: 60 }, (_, level) => [
      failover(`left${level}`, `left${level + 1}`, `right${level + 1}`),
      failover(`right${level}`, `right${level + 1}`, `left${level + 1}`),
    ]).flat();
    await serve("left0", ...levels, failover("left60", "dead1", "one"), failover("right60", "last"));
    expect(await answers()).to.deep.equal({ one: 40 });
  });

  it("is refused with the reason where too many come together, and where backends contain each other", async () => {
    const many = Array.from({ length: 1001 }, (_, index) =>
      fixed(`far${index}`, `10.0.${index >> 8}.${index & 255}:80`),
    );
    const halves = [many.slice(0, 500), many.slice(500)].map((half, index) =>
      failover(`half${index}`, ...half.map(({ fields }) => (fields as { id: string }).id)),
    );
    const { edges } = await serve("outer", failover("outer", "half0", "half1"), ...halves, ...many);
    expect(edges[0]?.reason)
      .to.contain("the failover backend outer has more than 1000 backends")
      .and.to.contain("use fewer");
    const circle = await serve("outer", failover("outer", "inner"), failover("inner", "dead1", "outer"));
    expect(circle.edges[0]?.reason).to.equal("the backend outer contains itself");
  });
});
