import { X509Certificate } from "node:crypto";
import { apiOnOneDatabase, expectRefused, invalid } from "../support/api/expect";
import {
  CA,
  type CertificateOptions,
  certificate,
  pemForms,
  serverCertificate,
} from "../support/api/fixtures";
import { signedChain } from "../support/tlsChains";

apiOnOneDatabase("Certificates", (server) => {
  describe("Certificate authorities", () => {
    const PATH = "/certificate_authorities";
    const upload = (ca_pem: unknown) => server.rest.post(PATH, { ca_pem });
    const KINDS: Record<
      string,
      CertificateOptions & { readonly usages: string[]; readonly extended: string[] }
    > = {
      "an RSA key and no usages": { key: "rsa", name: "RSA Root", usages: [], extended: [] },
      "an EC key and key usages": {
        key: "ec",
        name: "EC Root",
        extensions: [CA, "keyUsage = critical, keyCertSign, cRLSign, digitalSignature"],
        usages: ["keyCertSign", "cRLSign", "digitalSignature"],
        extended: [],
      },
      "an Ed25519 key and extended key usages": {
        key: "ed25519",
        name: "Ed25519 Root",
        extensions: [CA, "keyUsage = keyCertSign", "extendedKeyUsage = clientAuth, serverAuth"],
        usages: ["keyCertSign"],
        extended: ["clientAuth", "serverAuth"],
      },
      "a name beyond ASCII": { name: "Zürich Prüfstelle 東京", usages: [], extended: [] },
      "a path length": { extensions: ["basicConstraints = CA:TRUE, pathlen:0"], usages: [], extended: [] },
    };

    for (const [kind, { usages, extended, ...options }] of Object.entries(KINDS)) {
      it(`an authority with ${kind} shows the facts of its certificate`, async () => {
        const { pem } = certificate(options);
        const { validFrom, validTo } = new X509Certificate(pem);
        const { uri, ...created } = await server.created(PATH, { ca_pem: pem });
        expect(created.ca_pem).to.equal(pem);
        expect(created.subject_common_name).to.equal(options.name ?? "Test CA");
        expect(created.not_before).to.match(/^\d{4}-\d\d-\d\dT/);
        expect(new Date(created.not_before)).to.deep.equal(new Date(validFrom));
        expect(new Date(created.not_after)).to.deep.equal(new Date(validTo));
        expect(created.key_usages).to.have.members(usages);
        expect(created.extended_key_usages).to.have.members(extended);
        expect(await server.read(uri)).to.deep.equal({ uri, ...created });
      });
    }

    it("line ends of any system, indented lines and blanks are answered as they were sent", async () => {
      const { pem } = certificate({ name: "Windows Root" });
      const windows = pem.replaceAll("\n", "\r\n");
      const forms = Object.values(pemForms(pem));
      for (const variant of [...forms, `\n\n${pem}\n\n`, `\r\n${windows}\r\n\r\n`, pem.trim()]) {
        const { ca_pem, subject_common_name } = await server.created(PATH, { ca_pem: variant });
        expect([ca_pem, subject_common_name]).to.deep.equal([variant, "Windows Root"]);
      }
    });

    it("a private key is refused, alone and beside the certificate, and the answer does not repeat it", async () => {
      const { pem, privateKey } = certificate();
      for (const text of [privateKey, pem + privateKey, privateKey + pem]) {
        const answer = await upload(text);
        expectRefused(answer, invalid("ca_pem", "private key"));
        expect(answer.text).not.to.include(privateKey.split("\n")[1]);
      }
    });
  });

  describe("TLS certificates", () => {
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
  });
});
