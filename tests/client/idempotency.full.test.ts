import { ConnectionError, Tunnelplane } from "@tunnelplane/sdk";
import { expect } from "chai";
import { onOneDatabase } from "../support/databases";
import { type Fate, LossyProxy } from "../support/lossyProxy";
import type { ServerProcess } from "../support/server";

onOneDatabase("A creation by the client", (start) => {
  let server: ServerProcess;
  let api: Tunnelplane;
  before(async () => {
    server = await start();
    api = new Tunnelplane({ baseUrl: server.url, apiKey: server.apiKey });
  });
  after(async () => {
    await api.close();
    await server.stop();
  });

  /**
   * Runs with a client whose requests meet these fates, one after the other; those that follow are answered.
   */
  async function meeting<T>(fates: Fate[], use: (api: Tunnelplane) => Promise<T>): Promise<T> {
    const proxy = await LossyProxy.start(server.url, () => fates.shift() ?? "answered");
    // Short only where the time limit has to end; on a busy machine, an answer may take a second.
    const timeoutMs = fates.includes("silence") ? 3_000 : 60_000;
    const through = new Tunnelplane({ baseUrl: proxy.url, apiKey: server.apiKey, timeoutMs });
    try {
      return await use(through);
    } finally {
      await through.close();
      proxy.stop();
    }
  }
  const idsOf = async <T extends { id: string; description: string }>(
    list: AsyncIterable<T>,
    description: string,
  ) => {
    const ids: string[] = [];
    for await (const object of list) if (object.description === description) ids.push(object.id);
    return ids;
  };

  for (const fate of ["lost", "answer lost", "answer cut", "silence", "bad gateway"] as const) {
    it(`makes one object, and answers its token, if the first try meets: ${fate}`, async () => {
      const { id, token } = await meeting([fate], (lossy) =>
        lossy.tunnelCredentials.create({ description: fate }),
      );
      expect(token).to.be.a("string").and.not.be.empty;
      expect(await idsOf(api.tunnelCredentials.list(), fate)).to.deep.equal([id]);
    });
  }

  it("can be repeated under a key of the caller's own after all tries failed, also by another process", async () => {
    const options = { idempotencyKey: "order-4711" };
    const failure = await meeting(["answer lost", "answer lost", "answer lost", "answer lost"], (lossy) =>
      lossy.ipPolicies.create({ description: "order" }, options).catch((error: unknown) => error),
    );
    expect(failure).to.be.instanceOf(ConnectionError);
    const { id } = await api.ipPolicies.create({ description: "order" }, options);
    expect(await idsOf(api.ipPolicies.list(), "order")).to.deep.equal([id]);
  });

  it("can be a dry run, like every other change", async () => {
    expect((await api.tunnelCredentials.create({ description: "tried" }, { dryRun: true })).token).to.equal(
      null,
    );
    expect(await idsOf(api.tunnelCredentials.list(), "tried")).to.deep.equal([]);

    const edge = await api.tlsEdges.create({ description: "before", hostports: ["dry.example.com:443"] });
    const ask = { dryRun: true, findings: true } as const;
    const made = await api.tlsEdges.create({ hostports: ["tried.example.com:443"] }, ask);
    const changed = await api.tlsEdges.update(edge.id, { hostports: [] }, ask);
    const deleted = await api.tlsEdges.delete(edge.id, ask);
    expect([made, changed, deleted].map(({ findings }) => findings[0]?.rule)).to.deep.equal([
      ...["opened-unprotected", "address-removed", "address-removed"],
    ]);
    expect(
      (await api.tlsEdges.update(edge.id, { description: "after" }, { dryRun: true })).description,
    ).to.equal("after");
    await api.tlsEdges.tlsTermination.replace(edge.id, { min_version: "1.3" }, { dryRun: true });
    await api.tlsEdges.delete(edge.id, { dryRun: true });
    expect(await api.tlsEdges.get(edge.id)).to.deep.equal(edge);
  });
});
