import { X509Certificate } from "node:crypto";
import { expect } from "chai";
import { serverOfThisFile, unique } from "../support/api/expect";
import { serverCertificate } from "../support/api/fixtures";
import { onEveryDatabase } from "../support/databases";
import { Rest } from "../support/rest";
import { signedChain } from "../support/tlsChains";

onEveryDatabase("TLS certificates", (start) => {
  const server = serverOfThisFile(start);
  const PATH = "/tls_certificates";

  it("show the facts of their leaf, and the chain byte for byte", async () => {
    const { chain, key } = signedChain("shop.example.com", {
      subject: "/C=CH/ST=Zurich/L=Zurich/O=Acme/OU=Web/CN=shop.example.com",
      names: "DNS:shop.example.com,DNS:*.shop.example.com,IP:192.0.2.7",
    });
    const sent = `\r\n${chain.join("")}\n`;
    const made = await server.created(PATH, { certificate_pem: sent, private_key_pem: key });
    const leaf = new X509Certificate(chain[0] ?? "");
    expect(made).to.deep.include({
      certificate_pem: sent,
      private_key_pem: null,
      subject_common_name: "shop.example.com",
      subject_alternative_names: {
        dns_names: ["shop.example.com", "*.shop.example.com"],
        ips: ["192.0.2.7"],
      },
      issued_at: null,
      key_usages: ["digitalSignature"],
      extended_key_usages: ["serverAuth"],
      private_key_type: "ecdsa",
      issuer_common_name: "Test Intermediate",
      serial_number: leaf.serialNumber.toLowerCase(),
      subject_organization: "Acme",
      subject_organizational_unit: "Web",
      subject_locality: "Zurich",
      subject_province: "Zurich",
      subject_country: "CH",
    });
    expect(new Date(made.not_after)).to.deep.equal(new Date(leaf.validTo));
    expect(await server.read(made.uri)).to.deep.equal(made);
    const { private_key_type: type } = await server.created(
      PATH,
      serverCertificate("a.example.com", { key: "rsa" }),
    );
    expect(type).to.equal("rsa");
  });

  it("keep their keys from everybody but gateways: answers, lists, events and the database have none", async () => {
    const body = serverCertificate();
    const { id, uri } = await server.created(PATH, body);
    const secret = body.private_key_pem.split("\n")[1] ?? "";
    const clientOf = async (role: string) => {
      const bot = await server.created("/bot_users", { name: unique(role), role });
      return new Rest(server.url, (await server.created("/api_keys", { owner_id: bot.id })).token);
    };
    for (const rest of [server.rest, await clientOf("member"), await clientOf("viewer")])
      for (const path of [uri, PATH, "/events"]) {
        const answer = await rest.get(path);
        expect(answer.text).to.not.include(secret);
        if (path === uri) expect(answer.body.private_key_pem).to.equal(null);
      }
    const changed = await server.rest.patch(uri, { description: "renamed" });
    expect(changed.text).to.not.include(secret);
    const gateway = await clientOf("gateway");
    expect((await gateway.get(uri)).body.private_key_pem).to.equal(body.private_key_pem);
    const [listed] = (await gateway.get(PATH)).body.tls_certificates.filter(
      (one: { id: string }) => one.id === id,
    );
    expect(listed.private_key_pem).to.equal(body.private_key_pem);
    expect(JSON.stringify(await server.query("select document from resource"))).to.not.include(secret);
    expect(server.log).to.not.include(secret);
  });
});
