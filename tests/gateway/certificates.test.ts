import { certificateOf } from "../../gateway/dist/certificates/pair";
import { readCertificateAuthority } from "../../sdk/dist/contract/formats/certificateAuthority";
import {
  belongsElsewhere,
  mistakeInPrivateKey,
  readTlsCertificate,
} from "../../sdk/dist/contract/formats/tlsCertificate";
import { certificate, pemForms } from "../support/api/fixtures";
import { refusedBeside } from "../support/refusal";
import { signedChain } from "../support/tlsChains";
import { envoyOfThisFile, signedBy } from "./traffic";
import { authority, enabled, fixed, httpsEdge, refs, route, to } from "./worlds";

describe("A real Envoy takes:", () => {
  const gateway = envoyOfThisFile();
  const site = { routes: [route({ backend: to("up") })] };
  const up = () => fixed("up", gateway.state.upstream.address);
  const asking = (pem: string) =>
    gateway.serve([
      httpsEdge({ ...site, mutual_tls: enabled({ certificate_authorities: refs("ca") }) }),
      ...[up(), authority("ca", pem)],
    ]);

  it("client certificates with keys of every kind, by TLS 1.2 and 1.3, of authorities with such keys", async () => {
    for (const key of ["rsa", "ec", "p384", "p521", "ed25519"] as const) {
      const ca = certificate({ key });
      await asking(ca.pem);
      const { pem: cert, privateKey } = signedBy(ca, key);
      for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const)
        await refusedBeside({
          refused: () => gateway.http1("/", { maxVersion }),
          as: 0,
          allowed: async () => (await gateway.http1("/", { cert, key: privateKey, maxVersion })).status,
          allowedAs: 200,
        });
    }
  });

  it("no authority with an RSA-PSS key, whose edge is rejected with that cause", async () => {
    const [usable, pss] = [certificate({ key: "rsa" }), certificate({ key: "rsa-pss" })];
    const { pem: cert, privateKey: key } = signedBy(usable);
    expect((await asking(usable.pem)).edges[0]?.reason).to.equal("");
    expect((await gateway.http1("/", { cert, key })).status).to.equal(200);
    const [edge] = (await asking(pss.pem)).edges;
    expect(edge?.state).to.equal("rejected");
    expect(edge?.reason).to.match(/^the certificate authority ca of mutual_tls has an RSA-PSS key/);
    expect((await gateway.http1("/", { cert: pss.pem, key: pss.privateKey })).status).to.equal(0);
  });

  it("authorities in other forms of PEM, as the API takes them", async () => {
    const ca = certificate();
    const { pem: cert, privateKey: key } = signedBy(ca);
    for (const [form, pem] of Object.entries(pemForms(ca.pem))) {
      expect(readCertificateAuthority(pem), form).to.be.an("object");
      await asking(pem);
      await refusedBeside({
        refused: () => gateway.http1("/"),
        as: 0,
        allowed: async () => (await gateway.http1("/", { cert, key })).status,
        allowedAs: 200,
      });
    }
  });

  it("chains and keys in other forms of PEM, as the API takes them", async () => {
    const { chain, key } = signedChain("app.example.com");
    const keys = pemForms(key);
    for (const [form, pem] of Object.entries(pemForms(chain.join("")))) {
      const keyPem = keys[form] ?? "";
      expect(readTlsCertificate(pem), form).to.be.an("object");
      expect(mistakeInPrivateKey(keyPem), form).to.equal(undefined);
      expect(belongsElsewhere(keyPem, pem), form).to.equal(false);
      await gateway.serve([httpsEdge(site), up()], { certificates: [certificateOf(pem, keyPem, form)] });
      const socket = await gateway.tls({ ca: chain[2], rejectUnauthorized: true });
      expect(socket.authorized, form).to.equal(true);
      socket.destroy();
    }
  });
});
