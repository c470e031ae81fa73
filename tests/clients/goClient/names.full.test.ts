import { expect } from "chai";
import { serverCertificate } from "../../support/api/fixtures";
import { describeByHostedGoClient } from "../../support/hostedClient";

describeByHostedGoClient("By the hosted service's public Go client,", (client) => {
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
});
