import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as dynamic from "@tunnelplane/pulumi";
import { expect } from "chai";
import { failureOf, makeCertificates, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";

/** Where nobody listens: a preview must not need anybody. */
const NOBODY = { url: "http://127.0.0.1:9", apiKey: "never-sent-anywhere" };

onEveryProvider("A preview without a server", (tunnels) => {
  const world = new World();
  const { leaf } = makeCertificates("authority");
  after(() => world.close());

  const refusals: { what: string; program: () => void; says: string[] }[] = [
    {
      what: "a bad ACL rule, with its place and the forms that exist",
      program: () =>
        new tunnels.TunnelCredential("bad", { acl: ["bind:ok.example.com", "allow:everything"] }),
      says: ['acl[1] "allow:everything" is not an ACL rule', "bind:<host>:<port>"],
    },
    {
      what: "a certificate that is a leaf, and which one to upload instead",
      program: () => new tunnels.CertificateAuthority("bad", { caPem: leaf }),
      says: ["caPem is a leaf certificate", "upload the certificate of the authority that signed it"],
    },
    {
      what: "a description of 256 bytes in fewer characters, counted in bytes",
      program: () => new tunnels.IpPolicy("bad", { description: "ü".repeat(56) + "x".repeat(144) }),
      says: ["description is 256 bytes in UTF-8 (200 characters)", "at most 255 bytes"],
    },
    {
      what: "a minimum version for TLS that the edge does not terminate",
      program: () =>
        new tunnels.TlsEdge("bad", { tlsTermination: { terminateAt: "upstream", minVersion: "1.3" } }),
      says: ['tlsTermination.minVersion must be left out when `terminateAt` is "upstream"'],
    },
    {
      what: "a property with the name that it has on the wire",
      program: () => new tunnels.TlsEdge("bad", { tls_termination: { min_version: "1.3" } } as object),
      says: ["tls_termination is not a property here; did you mean `tlsTermination`?"],
    },
    {
      what: "a policy whose action nobody knows",
      program: () =>
        new tunnels.TlsEdge("bad", { policies: { inbound: [{ actions: [{ type: "explode" as "deny" }] }] } }),
      says: ["policies.inbound[0].actions[0].type must be one of", '"deny"'],
    },
    {
      what: "a subscription to events that nobody sends",
      program: () => new tunnels.EventSubscription("bad", { sources: [{ type: "ip_policy_painted.v0" }] }),
      says: ["sources[0].type is no event type", "ip_policy_created.v0"],
    },
    {
      what: "a destination with two targets",
      program: () =>
        new tunnels.EventDestination("bad", {
          target: {
            monitoringService: { apiKey: "key" },
            logService: {
              logGroupRef: "arn:aws:logs:eu-central-1:123456789012:log-group:x",
              auth: { role: { roleRef: "arn:aws:iam::123456789012:role/x" } },
            },
          },
        }),
      says: ["must be left out, because", "exactly one of"],
    },
    {
      what: "every mistake of a resource at once",
      program: () =>
        new tunnels.IpPolicyRule("bad", {
          ipPolicyId: "ipp_x",
          cidr: "192.0.2.1/24",
          action: "permit" as "allow",
        }),
      says: ['cidr has bits set after its mask: write "192.0.2.0/24"', 'action must be "allow" or "deny"'],
    },
  ];

  for (const { what, program, says } of refusals) {
    it(`reports ${what}`, async () => {
      const stack = await world.stack(NOBODY, async () => void program());
      const message = await failureOf(stack.preview());
      for (const words of says) expect(message).to.contain(words);
      expect(message).not.to.match(/\n\s+at /);
    });
  }

  it("accepts values that are not known yet, and still checks the others", async () => {
    const unknownId: PulumiFn = async () => {
      const policy = new tunnels.IpPolicy("policy");
      const backend = new tunnels.TunnelGroupBackend("backend", { labels: { name: policy.id } });
      new tunnels.TlsEdge("edge", {
        hostports: [policy.id.apply((id) => `${id}.example.com:443`), "app.example.com:443"],
        backend: { backendId: backend.id },
        ipRestriction: { ipPolicyIds: [policy.id] },
        tlsTermination: { terminateAt: policy.id.apply(() => "upstream" as const), minVersion: "1.2" },
      });
    };
    const planned = await (await world.stack(NOBODY, unknownId)).preview();
    expect(planned.steps.map(({ op, type }) => `${op} ${type}`)).to.have.members([
      "create IpPolicy",
      "create TunnelGroupBackend",
      "create TlsEdge",
    ]);

    const unknownBesideMistake = await world.stack(NOBODY, async () => {
      const policy = new tunnels.IpPolicy("policy");
      new tunnels.TlsEdge("edge", { hostports: [policy.id, "nonsense"] });
    });
    const message = await failureOf(unknownBesideMistake.preview());
    expect(message).to.contain("hostports[1] must be");
    expect(message).not.to.contain("hostports[0]");
  });

  it("never prints the value of an invalid property", async () => {
    const stack = await world.stack(
      NOBODY,
      async () =>
        void new tunnels.SshCredential("bad", {
          publicKey: "-----BEGIN PRIVATE KEY-----\nhush-hush-hush\n-----END PRIVATE KEY-----",
        }),
    );
    const message = await failureOf(stack.preview());
    expect(message).to.contain("publicKey is a private key").and.not.to.contain("hush-hush");
  });
});

describe("A preview of a program in TypeScript", () => {
  const world = new World();
  after(() => world.close());

  it("shows the mistakes of all resources at once, also where others are known later", async () => {
    const program: PulumiFn = async () => {
      new dynamic.TlsEdge("fine", { hostports: ["fine.example.com:443"] });
      new dynamic.TlsEdge("shop", { hostports: ["no hostport"] });
      new dynamic.TunnelCredential("agent", { acl: ["allow:everything"], metadata: "canary-of-a-value" });
      const policy = new dynamic.IpPolicy("office", { description: "x".repeat(300) });
      new dynamic.IpPolicyRule("berlin", { ipPolicyId: policy.id, cidr: "10.0.0.0/99", action: "allow" });
    };
    const failure = await failureOf((await world.stack(NOBODY, program)).preview());
    for (const said of ["hostports[0]", "acl[0]", "description is 300 bytes", "cidr must have a mask"])
      expect(failure).to.include(said);
    const besides = [...failure.matchAll(/besides, in (\w+ "\w+"): /g)].map(([, of]) => of);
    expect(new Set(besides).size).to.equal(3);
    expect(failure).not.to.include('"fine"').and.not.to.include("canary-of-a-value");
  });
});
