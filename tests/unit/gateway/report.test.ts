import { Reporter, type Status } from "../../../gateway/dist/server/report";

describe("A gateway's report", () => {
  it("has every edge, and as many reasons as fit into the 16 MiB that a server takes", async () => {
    const edges = Array.from({ length: 6000 }, (_, index) => ({
      id: `edghts_${index}`,
      state: "rejected" as const,
      reason: "x".repeat(5000),
    }));
    const sent = await new Promise<Status>((resolve) =>
      new Reporter(
        async (status) => resolve(status),
        () => undefined,
      ).offer({ sequence: 1, edges, agents: [] }),
    );
    expect(sent.edges.map(({ id }) => id)).to.deep.equal(edges.map(({ id }) => id));
    const bytes = Buffer.byteLength(JSON.stringify(sent));
    expect(bytes).to.be.within(15 * 1_048_576, 16 * 1_048_576);
    expect(sent.edges[0]?.reason).to.equal(`${"x".repeat(4095)}…`);
    expect(sent.edges.at(-1)?.reason).to.equal("the gateway's log says why");
  });
});
