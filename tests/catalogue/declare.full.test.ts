import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as tunnels from "@tunnelplane/pulumi";
import { collectionOf, createSchema, registry, rename } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { TYPES } from "../support/api/types";
import { Folder, NOBODY } from "../support/catalogue";
import type { Engine } from "../support/engine";
import {
  changesOf,
  makeCertificates,
  makeSshKey,
  requestsDuring,
  worldOfThisFile,
} from "../support/provider";

const EVERYTHING = `
tunnelCredentials:
  agent:
    acl: ["bind:app.example.com"]
sshCredentials:
  agent:
    publicKey: !file keys/agent.pub
tlsEdges:
  app:
    hostports: [app.example.com:443]
    backend: { backendId: app }
    mutualTls: { certificateAuthorityIds: [partners, clients] }
    ipRestriction: &office { ipPolicyIds: [office] }
    tlsTermination:
    policies:
      inbound:
        - name: slow down
          actions: [{ type: rate-limit, config: { name: each, capacity: 5, rate: 1m, bucket_key: [conn.client_ip] } }]
  other:
    ipRestriction: *office
certificateAuthorities:
  clients:
    caPem: !file clients-ca.pem
  partners:
    caPem: |
      PARTNERS
guarantees:
  admin: { expect: refused, addresses: ["*:443/admin"], clientCertificate: none }
ipPolicyRules:
  berlin: { ipPolicyId: office, cidr: 192.0.2.0/24, action: allow }
ipPolicies:
  office:
tunnelGroupBackends:
  app:
    labels: { service: app, some_key: "8080" }
`;

/** Types that the shared tests leave out, because they have other common fields. */
const OWNERS: Record<string, object> = { api_key: {}, bot_user: { name: "ci" } };

describe("A catalogue in YAML", () => {
  const { world, server } = worldOfThisFile();
  const folder = new Folder();
  const authorities = {
    clients: makeCertificates("clients").authority,
    partners: makeCertificates("partners").authority,
  };
  const everything = EVERYTHING.replace("PARTNERS", authorities.partners.trim().replaceAll("\n", "\n      "));
  const program = async () => {
    const { tlsEdges, tunnelCredentials } = tunnels.catalogue(folder.catalogue);
    return { hostports: tlsEdges.app?.hostports, authtoken: tunnelCredentials.agent?.token };
  };
  /** The first two cases follow each other on it. */
  let stack: Engine;
  before(async () => {
    stack = await world.stack(server, program);
    folder.write(makeSshKey(), "keys/agent.pub");
    folder.write(authorities.clients, "clients-ca.pem");
  });
  after(() => folder.remove());

  it("declares what it lists, in any order and by name, and nothing changes the second time", async () => {
    folder.write(everything);
    const first = await stack.up();
    expect(first.steps.map(({ op, type, name }) => `${op} ${type} ${name}`)).to.have.members([
      "create TunnelCredential agent",
      "create SshCredential agent",
      "create TlsEdge app",
      "create TlsEdge other",
      "create CertificateAuthority clients",
      "create CertificateAuthority partners",
      "create IpPolicyRule berlin",
      "create IpPolicy office",
      "create TunnelGroupBackend app",
      "create Guarantee admin",
    ]);
    const recorded: { urn: string; dependencies?: string[] }[] = JSON.parse(stack.stateFile()).checkpoint
      .latest.resources;
    const guarantee = recorded.find(({ urn }) => urn.includes("Guarantee"));
    expect(guarantee?.dependencies, "made last, deleted first").to.have.length(first.steps.length - 1);
    const [backend] = (await server.rest.get("/backends/tunnel_group")).body.backends;
    const [policy] = (await server.rest.get("/ip_policies")).body.ip_policies;
    const named = (await server.rest.get("/certificate_authorities")).body.certificate_authorities as {
      subject_common_name: string;
    }[];
    const app = (await server.rest.get("/edges/tls")).body.tls_edges.find(
      (edge: { hostports: string[] }) => edge.hostports.length > 0,
    );
    expect(backend.labels).to.deep.equal({ service: "app", some_key: "8080" });
    expect(app.backend.backend.id).to.equal(backend.id);
    expect(app.ip_restriction.ip_policies.map(({ id }: { id: string }) => id)).to.deep.equal([policy.id]);
    expect(app.mutual_tls.certificate_authorities).to.have.length(named.length);
    expect(app.policies.inbound[0].actions[0].config).to.deep.include({
      rate: "1m",
      bucket_key: ["conn.client_ip"],
    });
    const { authtoken, hostports } = stack.outputs();
    expect(authtoken).to.deep.include({ secret: true });
    expect(hostports?.value).to.deep.equal(["app.example.com:443"]);

    const requests = await requestsDuring(server, async () =>
      expect(changesOf(await stack.up())).to.deep.equal([]),
    );
    expect(requests).to.deep.equal([]);
  });

  it("previews an edited value as exactly that property, and deletes an entry that is removed", async () => {
    folder.write(
      everything
        .replace("rate: 1m", "rate: 2m")
        .replace("[partners, clients]", "[clients]")
        .replace("action: allow", "action: deny"),
    );
    expect(
      changesOf(await stack.preview()).filter((change) => !/^(create|delete)/.test(change)),
    ).to.have.members([
      "update app mutualTls.certificateAuthorityIds[0] mutualTls.certificateAuthorityIds[1] policies.inbound[0].actions[0].config.rate",
      "replace berlin action",
    ]);
    folder.write(everything.replace(/ {2}berlin: .*\n/, ""));
    expect(changesOf(await stack.up())).to.deep.equal(["delete berlin"]);
    expect((await server.rest.get("/ip_policy_rules")).body.ip_policy_rules).to.deep.equal([]);
    folder.write("# nothing any more\n");
    await stack.up();
    expect((await server.rest.get("/edges/tls")).body.tls_edges).to.deep.equal([]);
  });

  it("takes every type of resource that there is, and ids of objects that exist already", async () => {
    const elsewhere = await world.server();
    const listed: Record<string, unknown> = {};
    for (const definition of registry) {
      const type = TYPES.find(({ path }) => path === definition.path);
      const below = definition.path.includes("{edge_id}") ? { edge_id: "one" } : {};
      const body = { ...((await type?.body(elsewhere.rest)) ?? OWNERS[definition.kind]), ...below };
      listed[collectionOf(definition)] = { one: rename(createSchema(definition), body, "camelCase") };
    }
    folder.write(JSON.stringify(listed)); // JSON is YAML
    const stack = await world.stack(elsewhere, async () => void tunnels.catalogue(folder.catalogue));
    const { steps } = await stack.up();
    expect(steps.map(({ op, type, name }) => `${op} ${type} ${name}`)).to.have.members(
      registry.map(({ type }) => `create ${type} one`),
    );
  });

  it("takes options such as an account, and values and secrets from the stack's configuration; secrets stay encrypted", async () => {
    folder.write(`
ipPolicies:
  office: { description: !config place, metadata: !secret note }
  guests: { description: !config "other:place" }
`);
    const config = {
      place: { value: "Berlin" },
      "other:place": { value: "Rome" },
      note: { value: "hush-hush-hush", secret: true },
    };
    const program = async () => {
      const account = new tunnels.Account("account", { baseUrl: server.url, apiKey: server.apiKey });
      tunnels.catalogue(folder.catalogue, { provider: account });
    };
    const stack = await world.stack(NOBODY, program, { config });
    const { stdout } = await stack.up();
    const policies = (await server.rest.get("/ip_policies")).body.ip_policies as {
      description: string;
      metadata: string;
    }[];
    expect(policies.map(({ description, metadata }) => [description, metadata])).to.have.deep.members([
      ["Berlin", "hush-hush-hush"],
      ["Rome", ""],
    ]);
    for (const text of [stack.stateFile(), stdout]) expect(text).not.to.contain("hush-hush");
  });

  it("costs nothing in programs without one: they load neither the contract nor a parser of YAML", () => {
    const script = 'require("@tunnelplane/pulumi"); console.log(Object.keys(require.cache).join("\\n"))';
    const loaded = execFileSync(process.execPath, ["-e", script], {
      cwd: join(__dirname, "../.."),
      encoding: "utf8",
    });
    expect(loaded).to.contain(join("provider", "dist", "catalogue", "catalogue.js"));
    expect(loaded).not.to.match(
      /node_modules.(yaml|zod).|sdk.dist.(?!(node(Version)?|switches|terminal|unknown)\.js)|dist.catalogue.declare/,
    );
  });
});
