import { expectRefused, hostport, type Json, missingReference, notFound } from "../support/api/expect";
import { execute, onEveryDatabase } from "../support/databases";
import { Rest } from "../support/rest";

onEveryDatabase("An id belongs to one kind", (start) => {
  it("whatever its prefix: it never answers, changes, deletes or references an object of another kind", async () => {
    const server = await start();
    const rest = new Rest(server.url, server.apiKey);
    const created = async (path: string, body: Json) => (await rest.post(path, body)).body;
    const backend = await created("/backends/tunnel_group", { labels: { app: "one" } });
    const edge = await created("/edges/tls", { hostports: [hostport()], tls_termination: {} });
    const policy = await created("/ip_policies", {});
    await become(server.data, backend.id, "ip_policy");
    await become(server.data, edge.id, "ip_policy");
    await become(server.data, policy.id, "certificate_authority");
    for (const { uri } of [backend, edge, policy]) {
      expectRefused(await rest.get(uri), notFound);
      expectRefused(await rest.patch(uri, { description: "x" }), notFound);
      expectRefused(await rest.delete(uri), notFound);
    }
    expectRefused(await rest.get(`${edge.uri}/tls_termination`), notFound);
    expectRefused(await rest.put(`${edge.uri}/tls_termination`, {}), notFound);
    expectRefused(await rest.delete(`${edge.uri}/tls_termination`), notFound);
    const rule = { ip_policy_id: policy.id, cidr: "10.0.0.0/8", action: "deny" };
    expectRefused(await rest.post("/ip_policy_rules", rule), missingReference("ip_policy_id"));
    const using = { hostports: [hostport()], backend: { backend_id: backend.id } };
    expectRefused(await rest.post("/edges/tls", using), missingReference("backend.backend_id"));
    expect((await rest.get("/backends/tunnel_group")).body.backends).to.deep.equal([]);
  });
});

/** As if two types had shared a prefix. */
const become = (data: string, id: string, kind: string): Promise<void> =>
  execute(data, `update resource set kind = '${kind}' where id = '${id}'`);
