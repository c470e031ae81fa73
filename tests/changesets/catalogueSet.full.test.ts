import * as pulumi from "@pulumi/pulumi";
import { review } from "@tunnelplane/pulumi/review";
import { expect } from "chai";
import { Folder } from "../support/catalogue";
import { changesOf, failureOf, World } from "../support/provider";
import { onEveryProvider, PROVIDERS } from "../support/providers";

const CATALOGUE = `
tunnelGroupBackends:
  web:
    labels: { service: web }
    description: !config place
weightedBackends:
  both:
    backends: { web: 100 }
httpsEdges:
  site:
    hostports: [www.example.com:443]
httpsEdgeRoutes:
  all:
    edgeId: site
    matchType: path_prefix
    match: /
    backend: { backendId: both }
    oidc: { issuer: "https://id.example.com", clientId: web, clientSecret: !secret note }
tunnelCredentials:
  agent:
    metadata: !env TUNNELPLANE_TEST_NOTE
`;

onEveryProvider("A catalogue as one resource", (tunnels, provider) => {
  const world = new World();
  const folder = new Folder();
  const program = async () => {
    // The native provider gets of the stack's configuration what the program hands on.
    const config = new pulumi.Config();
    const values = provider === "native" && {
      values: { place: config.require("place"), note: config.requireSecret("note") },
    };
    const prod = new tunnels.CatalogueSet("prod", { file: folder.catalogue, ...values });
    return { ids: prod.ids, tokens: prod.tokens };
  };
  const config = { place: { value: "Berlin" }, note: { value: "canary of the client", secret: true } };
  let server: Awaited<ReturnType<World["server"]>>;
  let stack: Awaited<ReturnType<World["stack"]>>;

  before(async () => {
    process.env.TUNNELPLANE_TEST_NOTE = "from the environment";
    server = await world.server();
    stack = await world.stack(server, program, { config });
  });
  after(async () => {
    await world.close();
    folder.remove();
  });

  const ids = () => stack.outputs().ids?.value as Record<string, string>;

  it("is made in one request, after a preview that shows each object, and outputs ids and tokens by key", async () => {
    folder.write(CATALOGUE);
    const preview = await stack.preview();
    for (const name of [
      "tunnel_group_backend/web",
      "weighted_backend/both",
      "https_edge/site",
      "https_edge_route/all",
      "tunnel_credential/agent",
    ])
      expect(preview.stdout).to.contain(`create ${name}`);
    expect(changesOf(await stack.up())).to.have.length(1);
    const found = ids();
    const route = (
      await server.rest.get(
        `/edges/https/${found["https_edge/site"]}/routes/${found["https_edge_route/all"]}`,
      )
    ).body;
    expect(route.oidc.client_secret).to.equal("canary of the client");
    expect(route.backend.backend.id).to.equal(found["weighted_backend/both"]);
    expect(
      (await server.rest.get(`/backends/tunnel_group/${found["tunnel_group_backend/web"]}`)).body.description,
    ).to.equal("Berlin");
    expect(
      (await server.rest.get(`/credentials/${found["tunnel_credential/agent"]}`)).body.metadata,
    ).to.equal("from the environment");
    const { tokens } = stack.outputs();
    expect(tokens?.secret).to.equal(true);
    expect(tokens?.value["tunnel_credential/agent"]).to.match(/^tpt_/);
    expect(stack.stateFile()).not.to.contain("canary").and.not.to.contain("tpt_");
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("keeps its tokens through a change, whose preview shows the property and the object", async () => {
    const before = stack.outputs();
    folder.write(CATALOGUE.replace("service: web", "service: other"));
    const preview = await stack.preview();
    expect(changesOf(preview).join()).to.contain("tunnel_group_backend/web").and.to.contain("labels.service");
    expect(preview.stdout).to.contain("update tunnel_group_backend/web");
    await stack.up();
    expect(stack.outputs().tokens?.value).to.deep.equal(before.tokens?.value);
  });

  it("shows what somebody changed on the server, and puts it back", async () => {
    const { "tunnel_group_backend/web": id } = ids();
    await server.rest.patch(`/backends/tunnel_group/${id}`, { description: "by hand" });
    expect((await stack.preview()).stdout).to.contain('description: "by hand" → "Berlin"');
    await stack.up();
    expect((await server.rest.get(`/backends/tunnel_group/${id}`)).body.description).to.equal("Berlin");
  });

  it("makes anew what somebody deleted, after a refresh too", async () => {
    const { "tunnel_credential/agent": id } = ids();
    await server.rest.delete(`/credentials/${id}`);
    await stack.refresh();
    expect((await stack.preview()).stdout).to.contain("create tunnel_credential/agent");
    await stack.up();
    const { "tunnel_credential/agent": now } = ids();
    expect(now).not.to.equal(id);
    expect(stack.outputs().tokens?.value["tunnel_credential/agent"]).to.match(/^tpt_/);
  });

  it("deletes what left the file, and nothing that others put into the set", async () => {
    const { "tunnel_credential/agent": id } = ids();
    const left = CATALOGUE.slice(0, CATALOGUE.indexOf("tunnelCredentials:"));
    folder.write(left);
    expect((await stack.preview()).stdout).to.contain("delete tunnel_credential/agent");
    await stack.up();
    expect((await server.rest.get(`/credentials/${id}`)).status).to.equal(404);
    await server.rest.post("/changesets", { set: "prod", objects: [{ kind: "ip_policy", key: "others" }] });
    folder.write(left.replace("service: web", "service: third"));
    for (const run of ["preview", "up", "destroy"] as const)
      expect(await failureOf(stack[run]()))
        .to.contain("ip_policy/others")
        .and.to.contain("declare")
        .and.not.to.contain("max_deletes");
    const policy = (await server.rest.get("/changesets/prod")).body.objects.find(
      ({ kind }: { kind: string }) => kind === "ip_policy",
    );
    await server.rest.delete(`/ip_policies/${policy.id}`);
    await stack.up();
  });

  it("deletes no object of others if its own is gone already", async () => {
    const { "https_edge_route/all": route, "https_edge/site": edge } = ids();
    const policy = (await server.rest.post("/ip_policies", {})).body.id;
    await server.rest.post("/changesets", {
      set: "prod",
      objects: [{ kind: "ip_policy", key: "others", id: policy }],
    });
    await server.rest.delete(`/edges/https/${edge}/routes/${route}`);
    const left = CATALOGUE.slice(0, CATALOGUE.indexOf("tunnelCredentials:"));
    folder.write(left.slice(0, left.indexOf("httpsEdgeRoutes:")));
    for (const run of ["preview", "up"] as const)
      expect(await failureOf(stack[run]())).to.contain("ip_policy/others");
    expect((await server.rest.get(`/ip_policies/${policy}`)).status).to.equal(200);
    await stack.refresh();
    expect((await stack.preview()).stdout).to.contain("delete ip_policy/others");
    await stack.up();
    expect((await server.rest.get(`/ip_policies/${policy}`)).status).to.equal(404);
    folder.write(left);
    await stack.up();
  });

  it("is reviewed as its objects: what a change means for callers", async () => {
    folder.write(CATALOGUE.replace(/ {4}oidc:.*\n/, ""));
    const report = review(await stack.previewJson());
    expect(report.findings.map(({ rule, address }) => `${rule} ${address}`)).to.include(
      "sign-in-dropped www.example.com:443/",
    );
    expect(report.changes.map(({ op, kind, name }) => `${op} ${kind} ${name}`)).to.include(
      "update https_edge_route all",
    );
    expect(JSON.stringify(report)).not.to.contain("canary");
  });

  it("shows all faults in the preview", async () => {
    await server.rest.post("/edges/tls", { hostports: ["taken.example.com:443"] });
    folder.write(
      `${CATALOGUE}\ntlsEdges:\n  a:\n    hostports: [taken.example.com:443]\n  b:\n    backend: { backendId: bkdtg_000000000000000000000000000 }\n    hostports: [b.example.com:443]\n`,
    );
    const failure = await failureOf(stack.preview());
    expect(failure).to.contain("tls_edge/a hostports[0]").and.to.contain("tls_edge/b backend.backend_id");
  });

  it("deletes all its objects and releases the set when it is destroyed, and can be made again", async () => {
    folder.write(CATALOGUE);
    const found = ids();
    await stack.destroy();
    expect((await server.rest.get("/changesets/prod")).status).to.equal(404);
    expect((await server.rest.get(`/edges/https/${found["https_edge/site"]}`)).status).to.equal(404);
    await stack.up();
    expect(ids()["https_edge/site"]).not.to.equal(found["https_edge/site"]);
  });
});

describe("A catalogue as one resource that changes its provider", () => {
  const world = new World();
  const folder = new Folder();
  after(async () => {
    await world.close();
    folder.remove();
  });

  it("moves to the native provider with nothing changed and its tokens kept", async () => {
    folder.write("tunnelCredentials:\n  agent:\n    description: ours\n");
    const server = await world.server();
    let provider: keyof typeof PROVIDERS = "dynamic";
    const stack = await world.stack(server, async () => {
      const { ids, tokens } = new PROVIDERS[provider].CatalogueSet("prod", { file: folder.catalogue });
      return { ids, tokens };
    });
    await stack.up();
    const before = stack.outputs();
    expect(before.tokens?.value["tunnel_credential/agent"]).to.match(/^tpt_/);
    provider = "native";
    expect(changesOf(await stack.preview())).to.deep.equal([]);
    expect(changesOf(await stack.up())).to.deep.equal([]);
    expect(stack.outputs()).to.deep.equal(before);
    await stack.destroy();
    expect((await server.rest.get("/credentials")).body.credentials).to.deep.equal([]);
  });
});
