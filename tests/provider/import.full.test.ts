import * as pulumi from "@pulumi/pulumi";
import * as dynamic from "@tunnelplane/pulumi";
import type { Engine, Run } from "../support/engine";
import { changesOf, describeStacks, failureOf, makeSshKey, requestsDuring } from "../support/provider";
import { type Classes, everywhere, NAMES, type Name } from "../support/providers";

type Existing = { readonly id: string; readonly [field: string]: unknown };

describeStacks("The option `import` of a resource", ({ world, server }) => {
  /** What is on the server before the first run, by provider. */
  const there = new Map<
    Name,
    Record<"app" | "site" | "route" | "certificate" | "policy" | "rule", Existing>
  >();
  const publicKey = makeSshKey();
  const action = { first: "allow", second: "deny", third: "deny" } as const;
  let form: keyof typeof action = "first";
  let stack: Engine;
  let preview: Run;
  let emitted: readonly string[];
  let requests: string[];
  /** The runs of the same program, before and after a refresh. */
  let [again, refreshed]: Run[] = [];
  async function fill(provider: Name): Promise<void> {
    const add = async (path: string, body: object): Promise<Existing> =>
      (await server.rest.post(path, body)).body;
    const app = await add("/edges/tls", {
      description: "the app",
      hostports: [`${provider}.example.com:443`],
      tls_termination: { min_version: "1.3" },
      policies: { inbound: [{ actions: [{ type: "deny" }] }] },
    });
    const site = await add("/edges/https", { tls_termination: { min_version: "1.3" } });
    const route = await add(`/edges/https/${site.id}/routes`, { match_type: "path_prefix", match: "/" });
    const authority = await add("/ssh_certificate_authorities", {});
    const certificate = await add("/ssh_user_certificates", {
      ssh_certificate_authority_id: authority.id,
      public_key: publicKey,
      principals: ["ada"],
    });
    const policy = await add("/ip_policies", {});
    const cidr = "192.0.2.0/24";
    const rule = await add("/ip_policy_rules", { ip_policy_id: policy.id, cidr, action: "allow" });
    there.set(provider, { app, site, route, certificate, policy, rule });
  }
  const existing = (provider: Name) => there.get(provider) as NonNullable<ReturnType<typeof there.get>>;
  const now = async (path: string): Promise<Existing> => (await server.rest.get(path)).body;
  function declare(provider: Name, tunnels: Classes): void {
    const { app, site, route, certificate, policy, rule } = existing(provider);
    const name = (of: string) => `${provider}-${of}`;
    const edge = {
      description: form === "third" ? "the new app" : "the app",
      hostports: [`${provider}.example.com:443`],
      tlsTermination: { minVersion: "1.3" as const },
    };
    new tunnels.TlsEdge(name("app"), edge, form === "first" ? { import: app.id } : {});
    const tls = { edgeId: site.id, minVersion: "1.3" as const };
    new tunnels.HttpsEdgeTlsTermination(name("tls"), tls, { import: site.id });
    const all = { edgeId: site.id, matchType: "path_prefix" as const, match: "/" };
    new tunnels.HttpsEdgeRoute(name("all"), all, { import: `${site.id}/${route.id}` });
    const sshCertificateAuthorityId = certificate.ssh_certificate_authority_id as string;
    const ada = { sshCertificateAuthorityId, publicKey, principals: ["ada"], validFor: "24h" };
    new tunnels.SshUserCertificate(name("ada"), ada, { import: certificate.id });
    const berlin = { ipPolicyId: policy.id, cidr: "192.0.2.0/24", action: action[form] };
    // The engine replaces nothing that still has the option; the dynamic provider does.
    const imports = form === "first" || provider === "dynamic";
    new tunnels.IpPolicyRule(name("berlin"), berlin, imports ? { import: rule.id } : {});
  }

  before("import everything", async () => {
    for (const provider of NAMES) await fill(provider);
    stack = await world.stack(server, everywhere(declare));
    preview = await stack.preview();
    emitted = [...stack.events];
    requests = await requestsDuring(server, () => stack.up());
    again = await stack.up();
    await stack.refresh();
    refreshed = await stack.up();
  });

  for (const provider of NAMES) {
    it(`adopts an object that is as declared: the preview shows it, and neither this run nor later ones change the server (${provider} provider)`, async () => {
      const { app } = existing(provider);
      expect(changesOf(preview, `${provider}-app`)).to.deep.equal(
        provider === "native" ? ["import ", "update "] : ["create "],
      );
      const says = emitted
        .map((event) => JSON.parse(event).diagnosticEvent)
        .filter((event) => event?.message.includes(`adopts the TLS edge ${app.id}`));
      expect(says.map(({ severity, message }) => [severity, message.trim()])).to.deep.equal([
        ["info", `adopts the TLS edge ${app.id}, which exists: the run changes nothing on the server`],
      ]);
      expect(requests.filter((request) => !request.startsWith("GET "))).to.deep.equal([]);
      expect(await now(`/edges/tls/${app.id}`), "the undeclared module too").to.deep.equal(app);

      const recorded = stack.resources().find(({ urn }) => urn.endsWith(`::${provider}-app`));
      const { server_id } = (await server.rest.get("/caller")).body;
      expect(recorded?.outputs.__server, "the server that has it").to.equal(`${server_id} ${server.url}`);
    });

    it(`adopts modules, routes and certificates that are declared by their length (${provider} provider)`, async () => {
      const { certificate } = existing(provider);
      for (const run of [again, refreshed]) expect(changesOf(run as Run, `${provider}-`)).to.deep.equal([]);
      expect(await now(`/ssh_user_certificates/${certificate.id}`)).to.deep.equal(certificate);
      const { ssh_user_certificates } = (await server.rest.get("/ssh_user_certificates")).body;
      expect(ssh_user_certificates).to.have.length(NAMES.length);
    });
  }

  it("changes nothing when it is removed, and a later replacement is a new object", async () => {
    form = "second";
    const replaced = await stack.up();
    const { ip_policy_rules } = (await server.rest.get("/ip_policy_rules")).body;
    expect(ip_policy_rules).to.have.length(NAMES.length);
    for (const provider of NAMES) {
      expect(changesOf(replaced, `${provider}-app`)).to.deep.equal([]);
      expect(changesOf(replaced, `${provider}-berlin`)).to.include("replace  action");
      const { rule, policy } = existing(provider);
      const [mine] = ip_policy_rules.filter(
        (one: { ip_policy: { id: string } }) => one.ip_policy.id === policy.id,
      );
      expect([mine.id === rule.id, mine.action]).to.deep.equal([false, "deny"]);
    }
  });

  it("lets the program change the object afterwards", async () => {
    form = "third";
    const changes = NAMES.map((provider) => `update ${provider}-app description`);
    expect(changesOf(await stack.up())).to.have.members(changes);
    for (const provider of NAMES)
      expect((await now(`/edges/tls/${existing(provider).app.id}`)).description).to.equal("the new app");
  });
});

describeStacks("The option `import` of a resource of the dynamic provider", ({ world, server }) => {
  let stack: Engine;
  let program: () => unknown = () => undefined;
  before("make a stack", async () => {
    stack = await world.stack(server, async () => void program());
  });

  const mismatches: {
    what: string;
    path: string;
    body: object;
    declare: (id: string) => unknown;
    says: string[];
  }[] = [
    {
      what: "the path, the actual value and the declared one",
      path: "/edges/tls",
      body: { tls_termination: { min_version: "1.3" } },
      declare: (id) => new dynamic.TlsEdge("app", { tlsTermination: { minVersion: "1.2" } }, { import: id }),
      says: ['which differs from the program: tlsTermination.minVersion is "1.3", declared "1.2"'],
    },
    {
      what: "defaults of fields that are not declared",
      path: "/credentials",
      body: { description: "build farm", acl: ["bind:a.example.com"] },
      declare: (id) =>
        new dynamic.TunnelCredential(
          "agent",
          { acl: ["bind:a.example.com", "bind:b.example.com"] },
          { import: id },
        ),
      says: ['description is "build farm", declared ""', 'acl[1] is not set, declared "bind:b.example.com"'],
    },
    {
      what: "a module that is declared and that the object lacks",
      path: "/edges/tls",
      body: {},
      declare: (id) => new dynamic.TlsEdge("app", { tlsTermination: {} }, { import: id }),
      says: ["tlsTermination is not set, declared {"],
    },
    {
      what: "fields without a default that the object has",
      path: "/api_keys",
      body: { expires_at: "2126-01-01T00:00:00Z" },
      declare: (id) => new dynamic.ApiKey("ci", {}, { import: id }),
      says: ['expiresAt is "2126-01-01T00:00:00Z", not declared'],
    },
  ];
  for (const { what, path, body, declare, says } of mismatches) {
    it(`stops the preview if the object differs, and names ${what}`, async () => {
      const { id } = (await server.rest.post(path, body)).body;
      program = () => declare(id);
      const message = await failureOf(stack.preview());
      expect(message).to.contain(`cannot import ${id}, which differs from the program: `);
      for (const words of says) expect(message).to.contain(words);
      expect(message).not.to.match(/\n\s+at /);
    });
  }

  it("never shows a value that the contract or the program keeps secret", async () => {
    const target = { monitoring_service: { api_key: "hush-of-the-server", service: "hush-hush-service" } };
    const destination = (await server.rest.post("/event_destinations", { target, metadata: "hush-metadata" }))
      .body;
    program = () => {
      const metadata = pulumi.secret("hush-of-the-program");
      const declared = {
        target: { monitoringService: { apiKey: "hush-of-mine", service: pulumi.secret("hush-service") } },
        metadata,
      };
      new dynamic.EventDestination("audit", declared, { import: destination.id });
    };
    const message = await failureOf(stack.preview());
    expect(message).to.contain("target.monitoringService.apiKey differs");
    expect(message).to.contain("target.monitoringService.service differs");
    expect(message).to.contain("metadata differs");
    expect(message + stack.events.join()).not.to.contain("hush-");
  });

  it("fails with the id if there is no such object, or one of another kind", async () => {
    for (const id of ["edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue", "ipp_0ERWdYmHciyPtBdiFM2OsTqjQue"]) {
      program = () => new dynamic.TlsEdge("app", {}, { import: id });
      expect(await failureOf(stack.preview())).to.contain(id);
    }
  });

  it("compares values in the run that the preview did not know yet", async () => {
    const policy = (await server.rest.post("/ip_policies", {})).body;
    const edge = (await server.rest.post("/edges/tls", { ip_restriction: { ip_policy_ids: [policy.id] } }))
      .body;
    program = () => {
      const office = new dynamic.IpPolicy("office");
      new dynamic.TlsEdge("app", { ipRestriction: { ipPolicyIds: [office.id] } }, { import: edge.id });
    };
    expect(changesOf(await stack.preview())).to.have.members(["create office", "create app"]);
    expect(await failureOf(stack.up())).to.contain(
      `cannot import ${edge.id}, which differs from the program: ipRestriction.ipPolicyIds[0]`,
    );
    expect((await server.rest.get(`/edges/tls/${edge.id}`)).body).to.deep.equal(edge);
  });
});
