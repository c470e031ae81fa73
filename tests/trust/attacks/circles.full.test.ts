import { expect } from "chai";
import { expectRefused, invalid, serverOfThisFile } from "../../support/api/expect";
import { onEveryDatabase } from "../../support/databases";

onEveryDatabase("A backend never contains itself:", (start) => {
  const server = serverOfThisFile(start);
  const failover = (...ids: string[]) => server.created("/backends/failover", { backends: ids });
  const weighted = (...ids: string[]) =>
    server.created("/backends/weighted", { backends: Object.fromEntries(ids.map((id) => [id, 1])) });

  it("neither directly nor through others, and the error names the circle", async () => {
    const outer = await failover();
    expectRefused(
      await server.rest.patch(outer.uri, { backends: [outer.id] }),
      invalid("backends[0]", `${outer.id} → ${outer.id}`),
    );
    const middle = await weighted(outer.id);
    const inner = await failover(middle.id);
    const answer = await server.unchangedBy(outer.uri, () =>
      server.rest.patch(outer.uri, { backends: [inner.id] }),
    );
    expectRefused(answer, invalid("backends[0]", `${outer.id} → ${inner.id} → ${middle.id} → ${outer.id}`));
    expect((await server.rest.patch(outer.uri, { backends: [(await failover()).id] })).status).to.equal(200);
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
