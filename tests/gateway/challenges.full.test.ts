import { X509Certificate } from "node:crypto";
import { objectsOf } from "../../gateway/dist";
import { Challenges } from "../../gateway/dist/certificates/challenges";
import { refusedBeside } from "../support/refusal";
import { envoyOfThisFile } from "./traffic";
import { fixed, httpsEdge, route, to } from "./worlds";

const DIGEST = Buffer.alloc(32, 7);

describe("A challenge over TLS on a real Envoy", () => {
  const gateway = envoyOfThisFile();
  const challenges = () =>
    new Challenges().of(
      objectsOf([
        {
          kind: "reserved_domain",
          fields: { id: "rd_1", domain: "new.example.com", acme_tls_alpn: DIGEST.toString("base64url") },
        },
        { kind: "reserved_domain", fields: { id: "rd_2", domain: "other.example.com", acme_tls_alpn: null } },
      ]),
    );
  const shown = async (ALPNProtocols: string[]) => {
    const socket = await gateway.tls({ sni: "new.example.com", ALPNProtocols });
    const [{ raw }, protocol] = [socket.getPeerCertificate(), socket.alpnProtocol];
    socket.destroy();
    return { certificate: new X509Certificate(raw), protocol };
  };

  it("is answered with the digest for those who ask for it, while all others reach what a wildcard serves", async () => {
    const world = [
      httpsEdge({ hostports: ["*.example.com:443"], routes: [route({ backend: to("up") })] }),
      fixed("up", gateway.state.upstream.address),
    ];
    const { edges } = await gateway.serve(world, { challenges: await challenges() });
    expect(edges.map(({ state }) => state)).to.deep.equal(["applied"]);
    const { certificate, protocol } = await shown(["acme-tls/1"]);
    expect(protocol).to.equal("acme-tls/1");
    expect(certificate.subjectAltName).to.equal("DNS:new.example.com");
    // The extension (RFC 8737 section 3): its OID, critical, and the digest as an octet string in another.
    const extension = Buffer.concat([Buffer.from("06082b0601050507011f0101ff04220420", "hex"), DIGEST]);
    expect(certificate.raw.includes(extension)).to.equal(true);
    for (const name of ["new.example.com", "some.example.com"])
      expect((await gateway.http1("/", { sni: name })).status, name).to.equal(200);
    await gateway.serve(world);
    expect((await shown(["http/1.1"])).certificate.subjectAltName).to.contain("*.example.com");
  });

  it("is answered where nothing else is served at all", async () => {
    await gateway.serve([], { challenges: await challenges() });
    await refusedBeside({
      refused: async () => String((await shown(["http/1.1"])).protocol),
      as: /closed|reset|ECONN/,
      allowed: async () => String((await shown(["acme-tls/1"])).protocol),
      allowedAs: "acme-tls/1",
    });
  });
});
