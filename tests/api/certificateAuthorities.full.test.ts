import { X509Certificate } from "node:crypto";
import { expect } from "chai";
import { expectRefused, hostport, immutable, inUse, invalid, serverOfThisFile } from "../support/api/expect";
import { CA, type CertificateOptions, certificate } from "../support/api/fixtures";
import { onOneDatabase } from "../support/databases";

onOneDatabase("Certificate authorities", (start) => {
  const server = serverOfThisFile(start);
  const PATH = "/certificate_authorities";
  const upload = (ca_pem: unknown) => server.rest.post(PATH, { ca_pem });
  const authority = () => server.created(PATH, { ca_pem: certificate().pem });

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

  it("line ends of Windows and blank lines around the PEM are fine", async () => {
    const { pem } = certificate({ name: "Windows Root" });
    for (const variant of [
      pem.replaceAll("\n", "\r\n"),
      `\n\n${pem}\n\n`,
      `\r\n${pem.replaceAll("\n", "\r\n")}\r\n\r\n`,
      pem.trim(),
    ])
      expect((await server.created(PATH, { ca_pem: variant })).subject_common_name).to.equal("Windows Root");
  });

  it("a leaf certificate is refused as one", async () => {
    const { pem } = certificate({ extensions: ["basicConstraints = critical, CA:FALSE"] });
    expectRefused(await upload(pem), invalid("ca_pem", "leaf"));
  });

  it("a certificate without basicConstraints is refused, with that reason", async () => {
    for (const extensions of [[], ["keyUsage = keyCertSign"]])
      expectRefused(await upload(certificate({ extensions }).pem), invalid("ca_pem", "basicConstraints"));
  });

  it("two certificates are refused, with the advice to send one", async () => {
    const { pem } = certificate();
    for (const both of [pem + pem, pem + certificate().pem])
      expectRefused(await upload(both), invalid("ca_pem", "one certificate"));
  });

  it("a private key is refused, alone and beside the certificate, and the answer does not repeat it", async () => {
    const { pem, privateKey } = certificate();
    for (const text of [privateKey, pem + privateKey, privateKey + pem]) {
      const answer = await upload(text);
      expectRefused(answer, invalid("ca_pem", "private key"));
      expect(answer.text).not.to.include(privateKey.split("\n")[1]);
    }
  });

  it("an incomplete or invalid certificate is refused, and nothing is stored", async () => {
    const { id } = await authority();
    const { pem } = certificate();
    const [begin = "", first = ""] = pem.split("\n");
    for (const text of [
      "",
      "no certificate",
      "a lot of text ".repeat(20_000),
      pem.slice(0, 200),
      `${begin}\n${first}\n-----END CERTIFICATE-----\n`,
      `${begin}\n-----END CERTIFICATE-----\n`,
      pem.replace(first, "!".repeat(first.length)),
      pem.replaceAll("CERTIFICATE", "CERTIFICATE REQUEST"),
    ]) {
      const answer = await upload(text);
      expectRefused(answer, invalid("ca_pem", "ca_pem"));
      expect(answer.body.msg.length, "a reason, not the text again").to.be.below(300);
    }
    expect((await server.read(PATH)).certificate_authorities[0].id).to.equal(id);
  });

  it("a certificate is required, and it is a string", async () => {
    expectRefused(await server.rest.post(PATH, {}), invalid("ca_pem"));
    for (const wrong of [5, [certificate().pem], {}])
      expectRefused(await upload(wrong), invalid("ca_pem", "string"));
  });

  it("a certificate cannot be replaced later", async () => {
    const { uri } = await authority();
    const answer = await server.unchangedBy(uri, () => server.rest.patch(uri, { ca_pem: certificate().pem }));
    expectRefused(answer, immutable("ca_pem"));
  });

  it("fields that follow from the certificate cannot be set", async () => {
    const { uri } = await authority();
    for (const field of [
      "subject_common_name",
      "not_before",
      "not_after",
      "key_usages",
      "extended_key_usages",
    ])
      expect((await server.unchangedBy(uri, () => server.rest.patch(uri, { [field]: "x" }))).status).to.equal(
        400,
      );
  });

  it("an authority that edges use is not deleted, and the answer names the edges", async () => {
    const { id, uri } = await authority();
    const edge = () =>
      server.created("/edges/tls", {
        hostports: [hostport()],
        mutual_tls: { certificate_authority_ids: [id] },
      });
    const users = [(await edge()).id, (await edge()).id];
    expectRefused(await server.unchangedBy(uri, () => server.rest.delete(uri)), inUse(...users));
  });

  it("an authority can be deleted once the edge uses another, or none", async () => {
    const [first, second] = [await authority(), await authority()];
    const edge = await server.created("/edges/tls", {
      hostports: [hostport()],
      mutual_tls: { certificate_authority_ids: [first.id, second.id] },
    });
    await server.rest.patch(edge.uri, { mutual_tls: { certificate_authority_ids: [second.id] } });
    expect((await server.rest.delete(first.uri)).status).to.equal(204);
    expectRefused(await server.rest.delete(second.uri), inUse(edge.id));
    await server.rest.delete(`${edge.uri}/mutual_tls`);
    expect((await server.rest.delete(second.uri)).status).to.equal(204);
  });
});
