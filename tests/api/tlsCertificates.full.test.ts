import { X509Certificate } from "node:crypto";
import { expect } from "chai";
import { expectRefused, immutable, inUse, invalid, serverOfThisFile, unique } from "../support/api/expect";
import { certificate, serverCertificate } from "../support/api/fixtures";
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

  it("are never changed in what they prove", async () => {
    const body = serverCertificate();
    const { uri } = await server.created(PATH, body);
    for (const [field, value] of Object.entries(body))
      expectRefused(await server.rest.patch(uri, { [field]: value }), immutable(field));
  });

  const { chain, key } = signedChain("app.example.com");
  const [leaf = "", intermediate = "", root = ""] = chain;
  const other = certificate({ name: "Somebody else" }).pem;
  const REFUSED: Record<string, [body: object, field: string, ...mentions: string[]]> = {
    "a chain whose middle is missing": [
      { certificate_pem: leaf + root, private_key_pem: key },
      "certificate_pem",
      "certificate 2 did not sign certificate 1",
      "Test Intermediate",
    ],
    "a chain in the wrong order": [
      { certificate_pem: leaf + root + intermediate, private_key_pem: key },
      "certificate_pem",
      "certificate 2 did not sign certificate 1",
      "certificate 3 did",
    ],
    "a certificate that has nothing to do with the chain": [
      { certificate_pem: leaf + intermediate + other, private_key_pem: key },
      "certificate_pem",
      "certificate 3 did not sign certificate 2",
    ],
    "the key of another certificate": [
      { certificate_pem: chain.join(""), private_key_pem: serverCertificate().private_key_pem },
      "private_key_pem",
      "another certificate",
    ],
    "a key in the place of the chain": [
      { certificate_pem: key, private_key_pem: key },
      "certificate_pem",
      "private_key_pem",
    ],
    "text around the chain": [
      { certificate_pem: `subject=app\n${leaf}`, private_key_pem: key },
      "certificate_pem",
      "PEM blocks alone",
    ],
    "a chain that is cut off": [
      { certificate_pem: leaf.slice(0, 300), private_key_pem: key },
      "certificate_pem",
      "END line",
    ],
    "a damaged certificate": [
      { certificate_pem: leaf.replace(/\n(.{20})/, "\nAAAAAAAAAAAAAAAAAAAA"), private_key_pem: key },
      "certificate_pem",
      "truncated or damaged",
    ],
    "a key with a passphrase": [
      { certificate_pem: leaf, private_key_pem: key.replaceAll("PRIVATE KEY", "ENCRYPTED PRIVATE KEY") },
      "private_key_pem",
      "passphrase",
    ],
    "a key that is none": [{ certificate_pem: leaf, private_key_pem: "hush" }, "private_key_pem", "PEM"],
    "an Ed25519 key, which Envoy does not serve": [
      serverCertificate("app.example.com", { key: "ed25519" }),
      "certificate_pem",
      "ECDSA",
    ],
    "an RSA key of 1,024 bits": [
      serverCertificate("app.example.com", { key: "weak" }),
      "certificate_pem",
      "2048",
    ],
    "more than ten certificates": [
      { certificate_pem: leaf.repeat(11), private_key_pem: key },
      "certificate_pem",
      "at most 10",
    ],
  };
  for (const [what, [body, field, ...mentions]] of Object.entries(REFUSED))
    it(`${what} is refused, and says what would work`, async () => {
      expectRefused(await server.rest.post(PATH, body), invalid(field, ...mentions));
    });

  it("cannot be deleted while a domain names them", async () => {
    const { id, uri } = await server.created(PATH, serverCertificate("used.example.com"));
    const domain = await server.created("/reserved_domains", {
      domain: "used.example.com",
      certificate_id: id,
    });
    expectRefused(await server.rest.delete(uri), inUse(domain.id));
    expect((await server.rest.delete(domain.uri)).status).to.equal(204);
    expect((await server.rest.delete(uri)).status).to.equal(204);
  });
});
