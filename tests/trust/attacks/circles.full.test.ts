import { apiOnEveryDatabase, invalid } from "../../support/api/expect";
import { refusedBeside } from "../../support/refusal";

apiOnEveryDatabase("A backend never contains itself:", (server) => {
  const failover = (...ids: string[]) => server.created("/backends/failover", { backends: ids });
  const weighted = (...ids: string[]) =>
    server.created("/backends/weighted", { backends: Object.fromEntries(ids.map((id) => [id, 1])) });

  it("neither directly nor through others, and the error names the circle", async () => {
    const outer = await failover();
    const middle = await weighted(outer.id);
    const inner = await failover(middle.id);
    const other = await failover();
    const put = (id: string) => () => server.rest.patch(outer.uri, { backends: [id] });
    for (const [id, circle] of [
      [outer.id, [outer.id, outer.id]],
      [inner.id, [outer.id, inner.id, middle.id, outer.id]],
    ])
      await refusedBeside({
        refused: () => server.unchangedBy(outer.uri, put(id)),
        as: invalid("backends[0]", circle.join(" → ")),
        allowed: put(other.id),
      });
  });

  it("even if two writers add half of the circle each at the same time", async () => {
    for (let round = 0; round < 10; round++) {
      const [one, other] = [await failover(), await weighted()];
      const answers = await Promise.all([
        server.rest.patch(one.uri, { backends: [other.id] }),
        server.rest.patch(other.uri, { backends: { [one.id]: 1 } }),
      ]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    }
  });
});
