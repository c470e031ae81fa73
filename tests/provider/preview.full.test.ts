import * as dynamic from "@tunnelplane/pulumi";
import { Plugin, UNKNOWN } from "../plugin/plugin";
import type { Engine, Run } from "../support/engine";
import { failureOf, makeCertificates, makeSshKey, World } from "../support/provider";
import { type Classes, NAMES, native, PROVIDERS } from "../support/providers";

/** Where nobody listens: a preview must not need anybody. */
const NOBODY = { url: "http://127.0.0.1:9", apiKey: "never-sent-anywhere" };

type Type =
  | "TunnelCredential"
  | "CertificateAuthority"
  | "IpPolicy"
  | "TlsEdge"
  | "IpPolicyRule"
  | "SshCredential"
  | "SshUserCertificate";

describe("A preview without a server", () => {
  const world = new World();
  const { leaf } = makeCertificates("authority");
  let stack: Engine;
  let plugin: Plugin;
  let program: () => void = () => undefined;
  before(async () => {
    stack = await world.stack(NOBODY, async () => program());
    plugin = await Plugin.start({ TUNNELPLANE_BASE_URL: NOBODY.url, TUNNELPLANE_API_KEY: NOBODY.apiKey });
  });
  const previewOf = async (declare: () => void): Promise<Run> => {
    program = declare;
    return stack.preview();
  };

  const refusals: { what: string; type: Type; args: object; says: string[] }[] = [
    {
      what: "a bad ACL rule, with its place and the forms that exist",
      type: "TunnelCredential",
      args: { acl: ["bind:ok.example.com", "allow:everything"] },
      says: ['acl[1] "allow:everything" is not an ACL rule', "bind:<host>:<port>"],
    },
    {
      what: "a certificate that is a leaf, and which one to upload instead",
      type: "CertificateAuthority",
      args: { caPem: leaf },
      says: ["caPem is a leaf certificate", "upload the certificate of the authority that signed it"],
    },
    {
      what: "a description of 256 bytes in fewer characters, counted in bytes",
      type: "IpPolicy",
      args: { description: "ü".repeat(56) + "x".repeat(144) },
      says: ["description is 256 bytes in UTF-8 (200 characters)", "at most 255 bytes"],
    },
    {
      what: "every mistake of a resource at once",
      type: "IpPolicyRule",
      args: { ipPolicyId: "ipp_x", cidr: "192.0.2.1/24", action: "permit" },
      says: ['cidr has bits set after its mask: write "192.0.2.0/24"', 'action must be "allow" or "deny"'],
    },
    {
      what: "a private key in the place of a public one, without its value",
      type: "SshCredential",
      args: { publicKey: "-----BEGIN PRIVATE KEY-----\nhush-hush-hush\n-----END PRIVATE KEY-----" },
      says: ["publicKey is a private key"],
    },
  ];
  const TIMES: Readonly<Record<string, object>> = {
    'renewBefore must be a length of time, for example "8h"': { renewBefore: "soon" },
    "renewBefore is 24h, but the whole validity is 24h": { renewBefore: "24h" },
    "renewBefore is 3d, but the whole validity is 2d": { validFor: "2d", renewBefore: "3d" },
    "renewBefore cannot move the end that `validUntil` fixes": {
      ...{ validUntil: "2040-01-01T00:00:00Z", renewBefore: "8h" },
    },
    "validFor cannot go with `validUntil`": { validUntil: "2040-01-01T00:00:00Z", validFor: "8h" },
    "validUntil must be at least a second after `validAfter`": {
      ...{ validAfter: "2040-01-01T00:00:00Z", validUntil: "2039-01-01T00:00:00Z" },
    },
  };
  for (const [what, times] of Object.entries(TIMES)) {
    const args = {
      ...{ sshCertificateAuthorityId: "sshca_x", publicKey: makeSshKey(), principals: ["ada"] },
      ...times,
    };
    refusals.unshift({ what, type: "SshUserCertificate", args, says: [what] });
  }
  const declare = (classes: Classes, type: Type, name: string, args: object): void =>
    void new (classes[type] as new (name: string, args: object) => object)(name, args);

  // A refused resource of the dynamic provider shows the mistakes of all others, so one preview is enough.
  describe("(dynamic provider)", () => {
    let failure: string;
    before("preview a program with all mistakes", async () => {
      failure = await failureOf(
        previewOf(() => {
          new dynamic.TlsEdge("fine", { hostports: ["fine.example.com:443"] });
          for (const [index, { type, args }] of refusals.entries())
            declare(dynamic, type, `bad-${index}`, args);
          const office = new dynamic.IpPolicy("office");
          const later = { ipPolicyId: office.id, cidr: "10.0.0.0/99", action: "allow" as const };
          new dynamic.IpPolicyRule("later", later);
        }),
      );
    });

    for (const { what, says } of refusals)
      it(`reports ${what}`, () => {
        for (const words of says) expect(failure).to.contain(words);
        expect(failure).not.to.contain("hush-hush");
        expect(failure).not.to.match(/\n\s+at /);
      });

    it("shows the mistakes of all resources at once, also where others are known later, and names none that is fine", () => {
      expect(failure).to.contain("cidr must have a mask").and.not.to.contain('"fine"');
      const besides = [...failure.matchAll(/besides, in (\w+ "[\w-]+"): /g)].map(([, of]) => of);
      expect(new Set(besides).size).to.equal(refusals.length);
    });

    it("still checks the values that are known beside others", async () => {
      const message = await failureOf(
        previewOf(() => {
          const policy = new dynamic.IpPolicy("policy");
          new dynamic.TlsEdge("edge", { hostports: [policy.id, "nonsense"] });
        }),
      );
      expect(message).to.contain("hostports[1] must be");
      expect(message).not.to.contain("hostports[0]");
    });
  });

  describe("(native provider)", () => {
    for (const { what, type, args, says } of refusals)
      it(`reports ${what}`, async () => {
        const reasons = (await plugin.check(type, args)).join("\n");
        for (const words of says) expect(reasons).to.contain(words);
        expect(reasons).not.to.contain("hush-hush");
      });

    it("still checks the values that are known beside others", async () => {
      const [reason, ...others] = await plugin.check("TlsEdge", { hostports: [UNKNOWN, "nonsense"] });
      expect(reason).to.contain("hostports[1] must be");
      expect(others).to.deep.equal([]);
    });

    for (const { type, args, says } of refusals.slice(-1))
      it(`has the engine print in one line each why it refuses ${type}, and never the value`, async () => {
        const message = await failureOf(previewOf(() => declare(native, type, "bad", args)));
        for (const words of says) expect(message).to.contain(words);
        expect(message).not.to.contain("hush-hush");
        expect(message).not.to.match(/\n\s+at /);
      });
  });

  it("accepts values that are not known yet", async () => {
    const types = ["IpPolicy", "TunnelGroupBackend", "TlsEdge"];
    const planned = await previewOf(() => {
      for (const [provider, tunnels] of Object.entries(PROVIDERS)) {
        const { id } = new tunnels.IpPolicy(`${provider}-policy`);
        const backend = new tunnels.TunnelGroupBackend(`${provider}-backend`, { labels: { name: id } });
        new tunnels.TlsEdge(`${provider}-edge`, {
          hostports: [id.apply((known) => `${known}.example.com:443`), `${provider}.example.com:443`],
          backend: { backendId: backend.id },
          ipRestriction: { ipPolicyIds: [id] },
          tlsTermination: { terminateAt: id.apply(() => "upstream" as const), minVersion: "1.2" },
        });
      }
    });
    expect(planned.steps.map(({ op, type }) => `${op} ${type}`)).to.have.members(
      NAMES.flatMap(() => types.map((type) => `create ${type}`)),
    );
  });
});
