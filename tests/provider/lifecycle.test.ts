import * as tunnels from "@tunnelplane/pulumi";
import { expect } from "chai";
import { changesOf, makeCertificates, makeSshKey, requestsDuring, World } from "./support";

describe("A program that is run again and again", () => {
  const world = new World();
  after(() => world.close());

  it("changes nothing the second time, whatever it declares, and asks the server nothing for that", async () => {
    const server = await world.server();
    const publicKey = makeSshKey();
    const { authority } = makeCertificates("clients");
    const stack = await world.stack(server, async () => {
      new tunnels.TunnelCredential("credential", { acl: ["bind:*.example.com"], metadata: '{"team":"a"}' });
      new tunnels.SshCredential("ssh", { publicKey });
      const ca = new tunnels.CertificateAuthority("ca", { caPem: authority });
      const policy = new tunnels.IpPolicy("policy");
      new tunnels.IpPolicyRule("rule", { ipPolicyId: policy.id, cidr: "2001:db8::/32", action: "deny" });
      const backend = new tunnels.TunnelGroupBackend("backend", { labels: { some_key: "x", "other-key": "y" } });
      const inline = new tunnels.TlsEdge("inline", {
        hostports: ["inline.example.com:443"],
        backend: { backendId: backend.id, enabled: false },
        ipRestriction: { ipPolicyIds: [policy.id] },
        mutualTls: { certificateAuthorityIds: [ca.id] },
        tlsTermination: {},
        policies: {
          inbound: [
            { name: "no", expressions: ["conn.client_ip == '192.0.2.1'"], actions: [{ type: "deny", config: { status_code: 403 } }] },
          ],
        },
      });
      const bare = new tunnels.TlsEdge("bare", { tlsTermination: { terminateAt: "upstream" } });
      new tunnels.TlsEdgeBackend("backend-module", { edgeId: bare.id, backendId: backend.id });
      new tunnels.TlsEdgeIpRestriction("restriction-module", { edgeId: bare.id, ipPolicyIds: [policy.id] });
      const third = new tunnels.TlsEdge("third");
      new tunnels.TlsEdgeMutualTls("mutual-module", { edgeId: third.id, certificateAuthorityIds: [ca.id] });
      new tunnels.TlsEdgeTlsTermination("termination-module", { edgeId: third.id, minVersion: "1.3" });
      new tunnels.TlsEdgePolicies("policies-module", { edgeId: third.id, outbound: [{ actions: [{ type: "log" }] }] });
      return { inline: inline.hostports };
    });
    const first = await stack.up();
    expect(first.steps.map(({ op }) => op)).to.deep.equal(new Array(14).fill("create"));

    const requests = await requestsDuring(server, async () => {
      expect((await stack.up()).steps.map(({ op }) => op)).to.deep.equal(new Array(14).fill("same"));
    });
    expect(requests).to.deep.equal([]);

    await stack.refresh();
    expect(changesOf(await stack.preview())).to.deep.equal([]);
    await stack.destroy();
    for (const path of [
      "/credentials",
      "/ssh_credentials",
      "/certificate_authorities",
      "/ip_policies",
      "/backends/tunnel_group",
      "/edges/tls",
    ]) {
      const page = (await server.rest.get(path)).body;
      expect(Object.values(page).find(Array.isArray), path).to.deep.equal([]);
    }
  });

  it("takes one request for each object that it creates, refreshes, updates or destroys, and none for a preview", async () => {
    const server = await world.server();
    const count = 8;
    let description = "first";
    const stack = await world.stack(server, async () => {
      for (let index = 0; index < count; index++) new tunnels.IpPolicy(`policy-${index}`, { description });
    });
    const requestsOf = async (run: () => Promise<unknown>) => (await requestsDuring(server, run)).map((request) => request.split(" ")[0]);
    const each = (method: string) => new Array(count).fill(method);
    expect(await requestsOf(() => stack.preview()), "preview").to.deep.equal([]);
    expect(await requestsOf(() => stack.up()), "create").to.deep.equal(each("POST"));
    expect(await requestsOf(() => stack.refresh()), "refresh").to.deep.equal(each("GET"));
    description = "second";
    expect(await requestsOf(() => stack.up()), "update").to.deep.equal(each("PATCH"));
    expect(await requestsOf(() => stack.destroy()), "destroy").to.deep.equal(each("DELETE"));
  });

  it("sends an update with the changed fields only, so that what others changed elsewhere survives", async () => {
    const server = await world.server();
    let acl = ["bind:a.example.com"];
    const stack = await world.stack(server, async () => void new tunnels.TunnelCredential("credential", { acl }));
    await stack.up();
    const [{ id }] = (await server.rest.get("/credentials")).body.credentials;
    await server.rest.patch(`/credentials/${id}`, { metadata: "somebody else's" });
    acl = ["bind:a.example.com", "bind:b.example.com"];
    expect(changesOf(await stack.up())).to.deep.equal(["update credential acl[1]"]);
    expect((await server.rest.get(`/credentials/${id}`)).body).to.deep.include({ acl, metadata: "somebody else's" });
  });

  it("keeps the authtoken that the server told once, through refreshes and updates", async () => {
    const server = await world.server();
    let description = "first";
    const stack = await world.stack(server, async () => ({ token: new tunnels.TunnelCredential("credential", { description }).token }));
    await stack.up();
    const { token } = await stack.outputs();
    expect(token?.value).to.match(/^tpt_/);
    await stack.refresh();
    description = "second";
    await stack.up();
    await stack.refresh();
    await stack.up();
    expect((await stack.outputs()).token).to.deep.equal(token);
  });

  it("replaces a rule whose action changes, the old one first because a policy holds each network once", async () => {
    const server = await world.server();
    let action: "allow" | "deny" = "allow";
    const stack = await world.stack(server, async () => {
      const policy = new tunnels.IpPolicy("policy");
      new tunnels.IpPolicyRule("rule", { ipPolicyId: policy.id, cidr: "192.0.2.0/24", action });
    });
    await stack.up();
    action = "deny";
    expect(changesOf(await stack.up())).to.deep.equal(["delete-replaced rule", "replace rule action", "create-replacement rule action"]);
    expect((await server.rest.get("/ip_policy_rules")).body.ip_policy_rules).to.have.length(1);
  });
});
