import * as pulumi from "@pulumi/pulumi";
import * as dynamic from "@tunnelplane/pulumi";
import { expect } from "chai";
import { changesOf, failureOf, makeSshKey, requestsDuring, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";

onEveryProvider("The option `import` of a resource", (tunnels, provider) => {
  const world = new World();
  after(() => world.close());

  it("adopts an object that is as declared: the preview shows it, and neither this run nor later ones change the server", async () => {
    const server = await world.server();
    const edge = (
      await server.rest.post("/edges/tls", {
        description: "the app",
        hostports: ["app.example.com:443"],
        tls_termination: { min_version: "1.3" },
        policies: { inbound: [{ actions: [{ type: "deny" }] }] },
      })
    ).body;
    let options: pulumi.CustomResourceOptions = { import: edge.id };
    const declared = {
      description: "the app",
      hostports: ["app.example.com:443"],
      tlsTermination: { minVersion: "1.3" as const },
    };
    const stack = await world.stack(server, async () => void new tunnels.TlsEdge("app", declared, options));
    expect(changesOf(await stack.preview())).to.deep.equal(
      provider === "native" ? ["import app", "update app"] : ["create app"],
    );
    const says = stack.events
      .map((event) => JSON.parse(event).diagnosticEvent)
      .filter((event) => event?.message.includes("adopts"));
    expect(says.map(({ severity, message }) => [severity, message.trim()])).to.deep.equal([
      ["info", `adopts the TLS edge ${edge.id}, which exists: the run changes nothing on the server`],
    ]);
    const requests = await requestsDuring(server, () => stack.up());
    expect(requests.filter((request) => !request.startsWith("GET "))).to.deep.equal([]);
    expect((await server.rest.get(`/edges/tls/${edge.id}`)).body, "the undeclared module too").to.deep.equal(
      edge,
    );

    const { resources } = (await stack.exportState()).deployment;
    const recorded = resources.find(({ urn }: { urn: string }) => urn.endsWith("::app"));
    const { server_id } = (await server.rest.get("/caller")).body;
    expect(recorded.outputs.__server, "the server that has it").to.equal(`${server_id} ${server.url}`);

    expect(changesOf(await stack.up()), "the same program").to.deep.equal([]);
    await stack.refresh();
    expect(changesOf(await stack.up()), "after a refresh").to.deep.equal([]);
    options = {};
    expect(changesOf(await stack.up()), "without the option").to.deep.equal([]);
    declared.description = "the new app";
    expect(changesOf(await stack.up())).to.deep.equal(["update app description"]);
    expect((await server.rest.get(`/edges/tls/${edge.id}`)).body.description).to.equal("the new app");
  });

  it("adopts modules, routes and certificates that are declared by their length, and a later replacement is a new object", async () => {
    const server = await world.server();
    const publicKey = makeSshKey();
    const edge = (await server.rest.post("/edges/https", { tls_termination: { min_version: "1.3" } })).body;
    const route = (
      await server.rest.post(`/edges/https/${edge.id}/routes`, { match_type: "path_prefix", match: "/" })
    ).body;
    const authority = (await server.rest.post("/ssh_certificate_authorities", {})).body;
    const signed = { ssh_certificate_authority_id: authority.id, public_key: publicKey, principals: ["ada"] };
    const certificate = (await server.rest.post("/ssh_user_certificates", signed)).body;
    const policy = (await server.rest.post("/ip_policies", {})).body;
    const rule = (
      await server.rest.post("/ip_policy_rules", {
        ip_policy_id: policy.id,
        cidr: "192.0.2.0/24",
        action: "allow",
      })
    ).body;
    let action: "allow" | "deny" = "allow";
    let imports = true;
    const options = (id: string) => (imports ? { import: id } : {});
    const stack = await world.stack(server, async () => {
      const edgeId = edge.id;
      new tunnels.HttpsEdgeTlsTermination("tls", { edgeId, minVersion: "1.3" }, options(edge.id));
      new tunnels.HttpsEdgeRoute(
        "all",
        { edgeId, matchType: "path_prefix", match: "/" },
        options(`${edge.id}/${route.id}`),
      );
      const ada = {
        sshCertificateAuthorityId: authority.id,
        publicKey,
        principals: ["ada"],
        validFor: "24h",
      };
      new tunnels.SshUserCertificate("ada", ada, options(certificate.id));
      new tunnels.IpPolicyRule(
        "berlin",
        { ipPolicyId: policy.id, cidr: "192.0.2.0/24", action },
        options(rule.id),
      );
    });
    await stack.up();
    expect(changesOf(await stack.up())).to.deep.equal([]);
    expect((await server.rest.get("/ssh_user_certificates")).body.ssh_user_certificates).to.deep.equal([
      certificate,
    ]);

    action = "deny";
    // The engine replaces nothing that still has the option; the dynamic provider does.
    imports = provider === "dynamic";
    expect(changesOf(await stack.up())).to.include("replace berlin action");
    const rules = (await server.rest.get("/ip_policy_rules")).body.ip_policy_rules as {
      id: string;
      action: string;
    }[];
    expect(rules.map(({ id, action }) => [id === rule.id, action])).to.deep.equal([[false, "deny"]]);
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });
});

describe("The option `import` of a resource of the dynamic provider", () => {
  const world = new World();
  after(() => world.close());

  const mismatches: {
    what: string;
    path: string;
    body: object;
    program: (id: string) => unknown;
    says: string[];
  }[] = [
    {
      what: "the path, the actual value and the declared one",
      path: "/edges/tls",
      body: { tls_termination: { min_version: "1.3" } },
      program: (id) => new dynamic.TlsEdge("app", { tlsTermination: { minVersion: "1.2" } }, { import: id }),
      says: ['which differs from the program: tlsTermination.minVersion is "1.3", declared "1.2"'],
    },
    {
      what: "defaults of fields that are not declared",
      path: "/credentials",
      body: { description: "build farm", acl: ["bind:a.example.com"] },
      program: (id) =>
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
      program: (id) => new dynamic.TlsEdge("app", { tlsTermination: {} }, { import: id }),
      says: ["tlsTermination is not set, declared {"],
    },
    {
      what: "fields without a default that the object has",
      path: "/api_keys",
      body: { expires_at: "2126-01-01T00:00:00Z" },
      program: (id) => new dynamic.ApiKey("ci", {}, { import: id }),
      says: ['expiresAt is "2126-01-01T00:00:00Z", not declared'],
    },
  ];
  for (const { what, path, body, program, says } of mismatches) {
    it(`stops the preview if the object differs, and names ${what}`, async () => {
      const server = await world.server();
      const { id } = (await server.rest.post(path, body)).body;
      const stack = await world.stack(server, async () => void program(id));
      const message = await failureOf(stack.preview());
      expect(message).to.contain(`cannot import ${id}, which differs from the program: `);
      for (const words of says) expect(message).to.contain(words);
      expect(message).not.to.match(/\n\s+at /);
    });
  }

  it("never shows a value that the contract or the program keeps secret", async () => {
    const server = await world.server();
    const target = { monitoring_service: { api_key: "hush-of-the-server", service: "hush-hush-service" } };
    const destination = (await server.rest.post("/event_destinations", { target, metadata: "hush-metadata" }))
      .body;
    const stack = await world.stack(server, async () => {
      const metadata = pulumi.secret("hush-of-the-program");
      const declared = {
        target: { monitoringService: { apiKey: "hush-of-mine", service: pulumi.secret("hush-service") } },
        metadata,
      };
      new dynamic.EventDestination("audit", declared, { import: destination.id });
    });
    const message = await failureOf(stack.preview());
    expect(message).to.contain("target.monitoringService.apiKey differs");
    expect(message).to.contain("target.monitoringService.service differs");
    expect(message).to.contain("metadata differs");
    expect(message + stack.events.join()).not.to.contain("hush-");
  });

  it("fails with the id if there is no such object, or one of another kind", async () => {
    const server = await world.server();
    for (const id of ["edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue", "ipp_0ERWdYmHciyPtBdiFM2OsTqjQue"]) {
      const stack = await world.stack(
        server,
        async () => void new dynamic.TlsEdge("app", {}, { import: id }),
      );
      expect(await failureOf(stack.preview())).to.contain(id);
    }
  });

  it("compares values in the run that the preview did not know yet", async () => {
    const server = await world.server();
    const policy = (await server.rest.post("/ip_policies", {})).body;
    const edge = (await server.rest.post("/edges/tls", { ip_restriction: { ip_policy_ids: [policy.id] } }))
      .body;
    const stack = await world.stack(server, async () => {
      const office = new dynamic.IpPolicy("office");
      new dynamic.TlsEdge("app", { ipRestriction: { ipPolicyIds: [office.id] } }, { import: edge.id });
    });
    expect(changesOf(await stack.preview())).to.have.members(["create office", "create app"]);
    expect(await failureOf(stack.up())).to.contain(
      `cannot import ${edge.id}, which differs from the program: ipRestriction.ipPolicyIds[0]`,
    );
    expect((await server.rest.get(`/edges/tls/${edge.id}`)).body).to.deep.equal(edge);
  });
});
