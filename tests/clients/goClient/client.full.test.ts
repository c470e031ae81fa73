import { newId } from "@tunnelplane/sdk/contract";
import { serverCertificate } from "../../support/api/fixtures";
import { describeByHostedGoClient } from "../../support/hostedClient";
import { Rest } from "../../support/rest";

const BREAKER = { tripped_duration: 10, num_buckets: 10 };

describeByHostedGoClient("By the hosted service's public Go client,", (client, server) => {
  it("IP policies are created, read, changed, listed to the end and deleted", async () => {
    const made = await client().call("ip_policies", "Create", { description: "office", metadata: "v1" });
    expect(made).to.include({ description: "office", metadata: "v1" });
    expect(made.id).to.match(/^ipp_/);
    expect(await client().call("ip_policies", "Get", made.id)).to.deep.equal(made);
    const changed = await client().call("ip_policies", "Update", { id: made.id, description: "offices" });
    expect(changed).to.deep.equal({ ...made, description: "offices" });
    for (const description of ["two", "three"]) await client().call("ip_policies", "Create", { description });
    const listed = await client().call("ip_policies", "List", { limit: "2" });
    expect(listed.map(({ description }: { description: string }) => description)).to.have.members([
      "offices",
      "two",
      "three",
    ]);
    await client().call("ip_policies", "Delete", made.id);
    expect((await client().refusal("ip_policies", "Get", made.id)).status).to.equal(404);
  });

  async function expectLife(service: string, made: { id: string }, change: object): Promise<void> {
    const changed = await client().call(service, "Update", { id: made.id, ...change });
    expect(changed).to.deep.equal({ ...made, ...change });
    expect(await client().call(service, "List", {})).to.deep.equal([changed]);
    await client().call(service, "Delete", made.id);
    expect((await client().refusal(service, "Get", made.id)).status).to.equal(404);
  }

  it("a TLS certificate is uploaded, read, renamed, listed and deleted", async () => {
    const body = serverCertificate("go.example.com");
    const made = await client().call("tls_certificates", "Create", { ...body, description: "ours" });
    expect(made).to.deep.include({
      ...{ certificate_pem: body.certificate_pem, subject_common_name: "go.example.com" },
      ...{ subject_alternative_names: { dns_names: ["go.example.com"] }, private_key_type: "ecdsa" },
      description: "ours",
    });
    await expectLife("tls_certificates", made, { metadata: "v2" });
    const refusal = await client().refusal("tls_certificates", "Create", {
      ...body,
      private_key_pem: "hush",
    });
    expect(refusal.status).to.equal(400);
    expect(refusal.message).to.contain("private_key_pem");
  });

  it("a domain is reserved with a certificate or a policy, and gives each up again", async () => {
    const { id } = await client().call("tls_certificates", "Create", serverCertificate("shop.example.com"));
    const made = await client().call("reserved_domains", "Create", {
      ...{ domain: "shop.example.com", region: "eu", certificate_id: id },
      resolves_to: [{ value: "192.0.2.1" }],
    });
    expect(made).to.deep.include({
      domain: "shop.example.com",
      region: "eu",
      resolves_to: [{ value: "192.0.2.1" }],
    });
    expect(made.certificate.id).to.equal(id);
    const managed = await client().call("reserved_domains", "Update", {
      id: made.id,
      certificate_management_policy: { authority: "letsencrypt", private_key_type: "rsa" },
    });
    expect(managed.certificate).to.equal(undefined);
    expect(managed.certificate_management_policy).to.deep.equal({
      authority: "letsencrypt",
      private_key_type: "rsa",
    });
    await client().call("reserved_domains", "DeleteCertificateManagementPolicy", made.id);
    await client().call("reserved_domains", "Update", { id: made.id, certificate_id: id });
    await client().call("reserved_domains", "DeleteCertificate", made.id);
    const left = await client().call("reserved_domains", "Get", made.id);
    expect(left).to.not.have.any.keys("certificate", "certificate_management_policy");
    await client().call("reserved_domains", "Delete", made.id);
    expect(await client().call("reserved_domains", "List", {})).to.deep.equal([]);
  });

  it("an address is reserved, described, listed and given up", async () => {
    const made = await client().call("reserved_addrs", "Create", { region: "eu" });
    expect(made.addr).to.match(/^[\w.]+:2\d{4}$/);
    await expectLife("reserved_addrs", made, { description: "db" });
  });

  it("a TCP edge is made with a restriction, changed and deleted", async () => {
    const { id: policy } = await client().call("ip_policies", "Create", {});
    const made = await client().call("tcp_edges", "Create", {
      description: "our database",
      hostports: ["db.example.com:20001"],
      ip_restriction: { enabled: true, ip_policy_ids: [policy] },
    });
    expect(made.id).to.match(/^edgtcp_/);
    expect(made.hostports).to.deep.equal(["db.example.com:20001"]);
    expect(made.ip_restriction.ip_policies.map((one: { id: string }) => one.id)).to.deep.equal([policy]);
    const refusal = await client().refusal("tcp_edges", "Update", {
      id: made.id,
      hostports: ["db.example.com:443"],
    });
    expect(refusal.status).to.equal(400);
    await expectLife("tcp_edges", made, { hostports: ["db.example.com:20002"] });
    await client().call("ip_policies", "Delete", policy);
  });

  it("a restriction is made, enforced and deleted", async () => {
    const { id: policy } = await client().call("ip_policies", "Create", {});
    const made = await client().call("ip_restrictions", "Create", {
      type: "endpoints",
      ip_policy_ids: [policy],
    });
    expect(made.type).to.equal("endpoints");
    expect(made.ip_policies.map((one: { id: string }) => one.id)).to.deep.equal([policy]);
    expect((await client().refusal("ip_policies", "Delete", policy)).status).to.equal(409);
    await expectLife("ip_restrictions", made, { metadata: "v2", enforced: true });
  });

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
