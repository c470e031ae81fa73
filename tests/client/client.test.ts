import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PreconditionFailedError,
  Tunnelplane,
  type TunnelplaneError,
} from "@tunnelplane/sdk";
import { onOneDatabase } from "../support/databases";
import { LossyProxy } from "../support/lossyProxy";
import type { ServerProcess } from "../support/server";
import { StandInServer } from "../support/standIn";

onOneDatabase("The client", (start) => {
  let server: ServerProcess;
  let api: Tunnelplane;
  before(async () => {
    server = await start();
    api = new Tunnelplane({ baseUrl: `${server.url}/`, apiKey: server.apiKey });
  });
  after(() => api.close());

  it("creates, reads, updates and deletes objects under their wire names", async () => {
    const backend = await api.tunnelGroupBackends.create({ labels: { service: "web" } });
    const edge = await api.tlsEdges.create({
      hostports: ["client.example.com:443"],
      backend: { backend_id: backend.id },
    });
    expect(edge.backend).to.deep.equal({ enabled: true, backend: { id: backend.id, uri: backend.uri } });
    const updated = await api.tlsEdges.update(edge.id, { description: "mine" });
    expect(updated).to.deep.equal({ ...edge, description: "mine" });
    expect(await api.tlsEdges.get(edge.id)).to.deep.equal(updated);
    await api.tlsEdges.delete(edge.id);
    await api.tunnelGroupBackends.delete(backend.id);
    expect((await thrownBy(api.tlsEdges.get(edge.id))).name).to.equal("NotFoundError");
  });

  it("gives objects their names in a program, whatever these hold, and reads them where it is asked to", async () => {
    const policy = await api.ipPolicies.create({}, { name: "Zoë's\noffice 😀" });
    const read = await api.ipPolicies.get(policy.id, { names: true });
    expect(read).to.deep.equal({ ...policy, resource_name: "Zoë's office 😀" });
    expect(await api.ipPolicies.get(policy.id)).to.deep.equal(policy);
    const long = "€".repeat(100);
    await api.ipPolicies.update(policy.id, {}, { name: long });
    for await (const { resource_name } of api.ipPolicies.list({ names: true }))
      expect(resource_name).to.equal(long.slice(0, 85));
    await api.ipPolicies.update(policy.id, {}, { name: "" });
    expect(await api.ipPolicies.get(policy.id, { names: true })).to.deep.equal(policy);
    await api.ipPolicies.delete(policy.id);
  });

  it("names its project with every request, of pages too, and refuses a name that no project has", async () => {
    const named: unknown[] = [];
    const standIn = await StandInServer.start(({ headers, url = "" }, response) => {
      named.push(headers["tunnelplane-project"]);
      const next = url.includes("before_id") ? null : `${standIn.url}/ip_policies?before_id=ipp_1`;
      response.end(JSON.stringify({ ip_policies: [{ id: "ipp_1" }], next_page_uri: next }));
    });
    const shop = new Tunnelplane({ baseUrl: standIn.url, apiKey: "a-key", project: "shop" });
    let count = 0;
    for await (const _ of shop.ipPolicies.list()) count++;
    expect(count).to.equal(2);
    await shop.ipPolicies.create({});
    await shop.changesets.plan({ set: "prod", objects: [] });
    expect(named).to.deep.equal(["shop", "shop", "shop", "shop"]);
    for (const project of ["", "The shop", "shop\r\nservice-version: 1"])
      expect(() => new Tunnelplane({ baseUrl: standIn.url, apiKey: "a-key", project }), project).to.throw(
        TypeError,
        "The project must be a name of 1 to 40 characters",
      );
  });

  it("reaches the modules of an edge at their own endpoints", async () => {
    const edge = await api.tlsEdges.create({});
    expect(await api.tlsEdges.tlsTermination.replace(edge.id, { min_version: "1.3" })).to.deep.equal({
      enabled: true,
      terminate_at: "edge",
      min_version: "1.3",
    });
    expect((await api.tlsEdges.tlsTermination.get(edge.id)).min_version).to.equal("1.3");
    await api.tlsEdges.tlsTermination.delete(edge.id);
    expect(await thrownBy(api.tlsEdges.tlsTermination.get(edge.id))).to.be.instanceOf(NotFoundError);
  });

  it("iterates over all pages with for await, newest first", async () => {
    const created: string[] = [];
    for (let index = 0; index < 7; index++)
      created.unshift((await api.ipPolicies.create({ description: `${index}` })).id);
    const seen: string[] = [];
    for await (const policy of api.ipPolicies.list({ pageSize: 3 })) seen.push(policy.id);
    expect(seen).to.deep.equal(created);
    const older: string[] = [];
    for await (const policy of api.ipPolicies.list({ beforeId: created[4] })) older.push(policy.id);
    expect(older).to.deep.equal(created.slice(5));
    const filtered: string[] = [];
    for await (const policy of api.ipPolicies.list({ description: "3", metadata: "" }))
      filtered.push(policy.id);
    expect(filtered).to.deep.equal([created[3]]);
  });

  it("throws a class of error for each kind, with the server's message, code and field", async () => {
    const bad = (await thrownBy(api.tunnelCredentials.create({ acl: ["nonsense"] }))) as BadRequestError;
    expect(bad).to.be.instanceOf(BadRequestError);
    expect(bad).to.include({ status: 400, code: "TP_1001", field: "acl[0]", name: "BadRequestError" });
    expect(bad.message).to.contain("is not an ACL rule");
    expect(bad.operationId).to.match(/^op_/);
    await api.tlsEdges.create({ hostports: ["taken.example.com:443"] });
    expect(await thrownBy(api.tlsEdges.create({ hostports: ["taken.example.com:443"] }))).to.be.instanceOf(
      ConflictError,
    );
    const stranger = new Tunnelplane({ baseUrl: server.url, apiKey: "unknown" });
    expect(await thrownBy(stranger.ipPolicies.create({}))).to.be.instanceOf(AuthenticationError);
    await stranger.close();
  });

  it("throws each guarantee that refuses a change, with the request that would break it", async () => {
    const description = "nothing is open";
    const addresses = ["guarded.example.com:443"];
    const { id } = await api.guarantees.create({ expect: "refused", addresses, description });
    const group = await api.tunnelGroupBackends.create({ labels: { service: "guarded" } });
    const refused = await thrownBy(
      api.tlsEdges.create({ hostports: addresses, backend: { backend_id: group.id } }),
    );
    expect(refused).to.be.instanceOf(ConflictError);
    const { message, guarantees } = refused as ConflictError;
    expect(message).to.contain(id).and.contain(`"${description}"`).and.contain(`\`${addresses[0]}\` from`);
    expect(guarantees).to.have.length(1);
    expect(guarantees[0]).to.include({ id, description });
    expect(guarantees[0]?.example?.request).to.include({ address: addresses[0] });
  });

  it("refuses an update of an object that somebody else changed meanwhile, if it has an ETag", async () => {
    const { id } = await api.ipPolicies.create({});
    const { etag } = await api.ipPolicies.getWithEtag(id);
    await api.ipPolicies.update(id, { description: "somebody else" });
    expect(
      await thrownBy(api.ipPolicies.update(id, { description: "me" }, { ifMatch: etag })),
    ).to.be.instanceOf(PreconditionFailedError);
    expect((await api.ipPolicies.get(id)).description).to.equal("somebody else");
  });

  const idsOf = async <T extends { id: string; description: string }>(
    list: AsyncIterable<T>,
    description: string,
  ) => {
    const ids: string[] = [];
    for await (const object of list) if (object.description === description) ids.push(object.id);
    return ids;
  };

  it("repeats a creation under a key of the caller's own after all tries failed, also by another process", async () => {
    const options = { idempotencyKey: "order-4711" };
    const proxy = await LossyProxy.start(server.url, () => "answer lost");
    const lossy = new Tunnelplane({ baseUrl: proxy.url, apiKey: server.apiKey });
    const failure = await thrownBy(lossy.ipPolicies.create({ description: "order" }, options));
    expect(failure.name).to.equal("ConnectionError");
    await lossy.close();
    proxy.stop();
    const { id } = await api.ipPolicies.create({ description: "order" }, options);
    expect(await idsOf(api.ipPolicies.list(), "order")).to.deep.equal([id]);
  });

  it("makes dry runs of creations, updates, modules and deletions, with findings where these are asked for", async () => {
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

async function thrownBy(request: Promise<unknown>): Promise<TunnelplaneError> {
  return request.then(
    () => Promise.reject(new Error("It succeeded, but it should have failed")),
    (error) => error,
  );
}
