import { X509Certificate } from "node:crypto";
import { expect } from "chai";
import { expectRefused, invalid, serverOfThisFile } from "../support/api/expect";
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

  it("a private key is refused, alone and beside the certificate, and the answer does not repeat it", async () => {
    const { pem, privateKey } = certificate();
    for (const text of [privateKey, pem + privateKey, privateKey + pem]) {
      const answer = await upload(text);
      expectRefused(answer, invalid("ca_pem", "private key"));
      expect(answer.text).not.to.include(privateKey.split("\n")[1]);
    }
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
});
