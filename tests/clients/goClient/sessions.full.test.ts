import { newId } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { describeByHostedGoClient } from "../../support/hostedClient";
import { Rest } from "../../support/rest";

const BREAKER = { tripped_duration: 10, num_buckets: 10 };

describeByHostedGoClient("By the hosted service's public Go client,", (client, server) => {
  const report = async (agents: readonly object[], edges: readonly object[]) => {
    const { status, text } = await new Rest(server().url, server().apiKey).put("/gateways/eu-1/status", {
      agents,
      edges,
    });
    expect(status, text).to.equal(204);
  };

  it("endpoints, tunnels and sessions are listed and read, and a session is stopped and restarted", async () => {
    const rest = new Rest(server().url, server().apiKey);
    const { body: edge } = await rest.post("/edges/tcp", { hostports: ["db.example.com:20001"] });
    const { body: credential } = await rest.post("/credentials", {});
    const agent = () => ({
      ...{ session: newId("ts"), credential: credential.id, bind: ["bind:db.example.com:20001"] },
      ...{ address: "192.0.2.1", since: "2026-01-01T00:00:00Z", client: "SSH-2.0-OpenSSH_9.9" },
    });
    const [one, two] = [agent(), agent()];
    await report([one, two], [{ id: edge.id, state: "applied" }]);
    const sessions = await client().call("tunnel_sessions", "List", {});
    expect(sessions.map(({ id }: { id: string }) => id)).to.have.members([one.session, two.session]);
    const session = await client().call("tunnel_sessions", "Get", one.session);
    expect(session).to.deep.include({
      ip: "192.0.2.1",
      agent_version: "SSH-2.0-OpenSSH_9.9",
      transport: "ssh/2",
    });
    expect(session.credential.id).to.equal(credential.id);
    const [endpoint] = await client().call("endpoints", "List", {});
    expect(endpoint).to.deep.include({
      ...{
        ...{ hostport: "db.example.com:20001", host: "db.example.com", port: 20001, proto: "tcp" },
        type: "edge",
      },
      public_url: "tcp://db.example.com:20001",
    });
    expect(await client().call("endpoints", "Get", endpoint.id)).to.deep.equal(endpoint);
    const tunnels = await client().call("tunnels", "List", {});
    expect(tunnels).to.have.length(2);
    expect(tunnels[0].endpoint.id).to.equal(endpoint.id);
    expect(await client().call("tunnels", "Get", tunnels[0].id)).to.deep.equal(tunnels[0]);
    await client().call("tunnel_sessions", "Stop", one.session);
    await client().call("tunnel_sessions", "Restart", two.session);
    expect(await client().call("tunnel_sessions", "List", {})).to.deep.equal([]);
    const third = agent();
    await report([third], []);
    expect((await client().refusal("tunnel_sessions", "Update", third.session)).status).to.equal(501);
    expect((await client().refusal("tunnel_sessions", "Stop", one.session)).status).to.equal(404);
  });

  it("modules of routes are replaced, read and removed", async () => {
    const rest = new Rest(server().url, server().apiKey);
    const { id: edge_id } = (await rest.post("/edges/https", {})).body;
    const { id } = (
      await rest.post(`/edges/https/${edge_id}/routes`, { match_type: "path_prefix", match: "/" })
    ).body;
    const at = { edge_id, id };
    // What is left out has its default, and a secret is answered as null, which the client leaves out.
    for (const [name, fields, more] of [
      ["compression", {}, {}],
      ["request_headers", { add: { "X-Team": "ours" }, remove: ["x-debug"] }, {}],
      ["response_headers", { remove: ["x-powered-by"] }, {}],
      [
        "circuit_breaker",
        { rolling_window: 60, volume_threshold: 20, error_threshold_percentage: 0.5 },
        BREAKER,
      ],
      ["webhook_verification", { provider: "github", secret: "s" }, { secret: undefined }],
    ] as const) {
      const module = { enabled: true, ...fields };
      const answer = JSON.parse(JSON.stringify({ ...module, ...more }));
      const of = `https_edge_route_${name}`;
      expect(await client().call(of, "Replace", { ...at, module }), name).to.deep.equal(answer);
      expect(await client().call(of, "Get", at), name).to.deep.equal(answer);
      await client().call(of, "Delete", at);
      expect((await client().refusal(of, "Get", at)).status, name).to.equal(404);
    }
    const unknown = { enabled: true, provider: "heroku", secret: "s" };
    const refused = await client().refusal("https_edge_route_webhook_verification", "Replace", {
      ...at,
      module: unknown,
    });
    expect(refused.status).to.equal(400);
  });
});
