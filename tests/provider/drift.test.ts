import { expect } from "chai";
import { changesOf, makeCertificates, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";

onEveryProvider("A stack whose server is changed behind Pulumi's back", (tunnels) => {
  const world = new World();
  const { authority } = makeCertificates("clients");
  after(() => world.close());

  async function edgeWithModules() {
    const server = await world.server();
    const declared = { restriction: true };
    const stack = await world.stack(server, async () => {
      const policy = new tunnels.IpPolicy("policy");
      const backend = new tunnels.TunnelGroupBackend("backend", { labels: { service: "web" } });
      new tunnels.TlsEdge("edge", {
        hostports: ["app.example.com:443", "www.example.com:443"],
        backend: { backendId: backend.id },
        ipRestriction: declared.restriction ? { ipPolicyIds: [policy.id] } : undefined,
      });
    });
    await stack.up();
    const [edge] = (await server.rest.get("/edges/tls")).body.tls_edges;
    const current = async () => (await server.rest.get(`/edges/tls/${edge.id}`)).body;
    return { server, stack, declared, edge, current };
  }

  it("shows each changed property after a refresh, and up repairs it", async () => {
    const { server, stack, edge, current } = await edgeWithModules();
    await server.rest.patch(`/edges/tls/${edge.id}`, {
      description: "meddled",
      hostports: ["app.example.com:443", "evil.example.com:443"],
    });
    await server.rest.put(`/edges/tls/${edge.id}/backend`, {
      enabled: false,
      backend_id: edge.backend.backend.id,
    });
    await stack.refresh();
    const preview = await stack.preview({ diff: true });
    expect(changesOf(preview)).to.deep.equal(["update edge backend.enabled description hostports[1]"]);
    expect(preview.stdout).to.contain('"evil.example.com:443" => "www.example.com:443"');
    await stack.up();
    expect(await current()).to.deep.equal(edge);
  });

  it("leaves a module alone that the program never declared", async () => {
    const { server, stack, edge, current } = await edgeWithModules();
    await server.rest.put(`/edges/tls/${edge.id}/tls_termination`, { min_version: "1.3" });
    await stack.refresh();
    expect(changesOf(await stack.up())).to.deep.equal([]);
    expect((await current()).tls_termination.min_version).to.equal("1.3");
  });

  it("puts back a module that somebody removed", async () => {
    const { server, stack, edge, current } = await edgeWithModules();
    await server.rest.delete(`/edges/tls/${edge.id}/ip_restriction`);
    await stack.refresh();
    expect(changesOf(await stack.preview())).to.deep.equal(["update edge ipRestriction"]);
    await stack.up();
    expect(await current()).to.deep.equal(edge);
  });

  it("deletes a module on the server when it is removed from the program, and only that one", async () => {
    const { stack, declared, edge, current } = await edgeWithModules();
    declared.restriction = false;
    expect(changesOf(await stack.up())).to.deep.equal(["update edge ipRestriction"]);
    expect(await current()).to.deep.equal({ ...edge, ip_restriction: null });
    expect(changesOf(await stack.preview())).to.deep.equal([]);
  });

  it("creates an object again that somebody deleted, once a refresh has noticed", async () => {
    const { server, stack, edge } = await edgeWithModules();
    await server.rest.delete(`/edges/tls/${edge.id}`);
    await stack.refresh();
    expect(changesOf(await stack.up())).to.deep.equal(["create edge"]);
    const [again] = (await server.rest.get("/edges/tls")).body.tls_edges;
    expect(again.hostports).to.deep.equal(edge.hostports);
  });

  it("can be destroyed although an object is already deleted", async () => {
    const { server, stack, edge } = await edgeWithModules();
    await server.rest.delete(`/edges/tls/${edge.id}`);
    await stack.destroy();
    expect((await server.rest.get("/ip_policies")).body.ip_policies).to.deep.equal([]);
  });

  it("moves an edge to a new authority before it deletes the old one", async () => {
    const server = await world.server();
    let caPem = authority;
    const stack = await world.stack(server, async () => {
      const ca = new tunnels.CertificateAuthority("ca", { caPem });
      new tunnels.TlsEdge("edge", { mutualTls: { certificateAuthorityIds: [ca.id] } });
    });
    await stack.up();
    caPem = makeCertificates("renewed").authority;
    expect((await stack.up()).steps.map(({ op, name }) => `${op} ${name}`)).to.deep.equal([
      "create-replacement ca",
      "replace ca",
      "update edge",
      "delete-replaced ca",
    ]);
    const cas = (await server.rest.get("/certificate_authorities")).body.certificate_authorities;
    expect(cas.map((ca: { subject_common_name: string }) => ca.subject_common_name)).to.deep.equal([
      "renewed",
    ]);
  });
});
