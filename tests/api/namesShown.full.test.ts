import { NAME_HEADER } from "@tunnelplane/sdk/contract";
import { apiOnEveryDatabase, hostport, unique } from "../support/api/expect";
import type { RestAnswer } from "../support/rest";

type Json = RestAnswer["body"];

apiOnEveryDatabase("Names of objects stand beside their ids", (server) => {
  const site = {} as { hostport: string } & Record<
    "policy" | "rule" | "backend" | "edge" | "route" | "credential",
    Json
  >;

  const made = async (name: string, path: string, body: object): Promise<Json> => {
    const headers = { [NAME_HEADER]: encodeURIComponent(name) };
    const answer = await server.rest.post(path, { description: "a description", ...body }, headers);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const named = ({ id }: Json, name: string) => ({ id, name });

  before("declare a site", async () => {
    site.hostport = hostport();
    site.policy = await made("office", "/ip_policies", {});
    const rule = { ip_policy_id: site.policy.id, action: "allow", cidr: "10.0.0.0/8" };
    site.rule = await made("ours", "/ip_policy_rules", rule);
    site.backend = await made("web", "/backends/tunnel_group", { labels: { app: unique() } });
    site.edge = await made("site", "/edges/https", { hostports: [site.hostport] });
    site.route = await made("all of it", `/edges/https/${site.edge.id}/routes`, {
      ...{ match: "/", match_type: "path_prefix", backend: { backend_id: site.backend.id } },
      ip_restriction: { ip_policy_ids: [site.policy.id] },
    });
    site.credential = await made("agent", "/credentials", { acl: [] });
  });

  it("in exposures: of edges, routes, backends, policies and credentials", async () => {
    const { exposure } = await server.read(`/exposure?address=${encodeURIComponent(site.hostport)}`);
    const [row] = exposure;
    expect(row.edge).to.include(named(site.edge, "site"));
    expect(row.route).to.include(named(site.route, "all of it"));
    expect(row.goes_to.name).to.equal("web");
    expect(row.served_by.credentials.map(({ name }: Json) => name)).to.deep.equal(["agent"]);
    expect((await server.rest.get("/exposure")).text).not.to.include("a description");
  });

  it("in decisions", async () => {
    const requests = [{ address: site.hostport, path: "/", from: "192.0.2.1" }];
    const { body, text } = await server.rest.post("/exposure/decisions", { requests });
    expect(text).to.include("all of it").and.not.to.include("a description");
    expect(body.decisions[0].outcome).not.to.equal(undefined);
  });

  it("in findings of dry runs, also of an object whose name comes with the request", async () => {
    const answer = await server.rest.patch(
      `/ip_policy_rules/${site.rule.id}?dry_run=true&findings=true`,
      { cidr: "0.0.0.0/0" },
      { [NAME_HEADER]: "everybody" },
    );
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.findings).not.to.deep.equal([]);
    const [finding] = answer.body.findings;
    expect(finding.cause).to.include(named(site.rule, "everybody"));
    expect(JSON.stringify(answer.body.findings)).to.include("all of it").and.not.to.include("a description");
  });

  it("in the audit log, as long as the object is there", async () => {
    const policy = await made("short-lived", "/ip_policies", {});
    const rowsOf = async () =>
      (await server.read("/audit_events")).audit_events.filter(
        ({ object_id }: Json) => object_id === policy.id,
      );
    expect((await rowsOf()).map(({ resource_name }: Json) => resource_name)).to.deep.equal(["short-lived"]);
    expect((await server.rest.delete(`/ip_policies/${policy.id}`)).status).to.equal(204);
    for (const row of await rowsOf()) expect(row).not.to.have.property("resource_name");
  });

  it("in the status of gateways: of edges, and of agents' credentials", async () => {
    const since = "2026-01-01T00:00:00Z";
    const report = {
      edges: [
        { id: site.edge.id, state: "applied" },
        { id: "edghts_gone", state: "applied" },
      ],
      agents: [
        { credential: site.credential.id, bind: [`bind:${site.hostport}`], address: "192.0.2.1", since },
      ],
    };
    const reported = await server.rest.put("/gateways/one/status", report);
    expect(reported.status, reported.text).to.be.below(300);
    const { edges, agents } = await server.read("/gateways/one");
    expect(edges.map(({ resource_name }: Json) => resource_name)).to.deep.equal(["site", undefined]);
    expect(agents.map(({ resource_name }: Json) => resource_name)).to.deep.equal(["agent"]);
  });

  it("among the objects that refer to another", async () => {
    const { references } = await server.read(`/references?object_id=${site.policy.id}`);
    expect(references.map(({ id, resource_name }: Json) => [id, resource_name])).to.deep.equal([
      [site.rule.id, "ours"],
      [site.route.id, "all of it"],
    ]);
  });
});
