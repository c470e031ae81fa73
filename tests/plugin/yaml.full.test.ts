import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { review } from "@tunnelplane/pulumi/review";
import { pathFieldsOf, registry } from "@tunnelplane/sdk/contract";
import { fill, IMPORT } from "../adopt/support";
import { PLUGIN_BIN } from "../support/engine";
import { describeStacks, worldOfThisFile } from "../support/provider";
import { needsBesideEngine, needsYaml, Project } from "./cli";

const SECRET = "canary-client-secret-of-yaml";
/** An edge that agents serve, and a route behind a sign-in, as a program declares them. */
const SITE = `resources:
  web: { type: "tunnelplane:TunnelGroupBackend", properties: { labels: { some_key: web } } }
  app:
    type: tunnelplane:TlsEdge
    properties: { hostports: ["app.example.com:443"], backend: { backendId: "\${web.id}" }, tlsTermination: { minVersion: "1.3" } }
  site: { type: "tunnelplane:HttpsEdge", properties: { hostports: ["www.example.com:443"] } }
  all:
    type: tunnelplane:HttpsEdgeRoute
    properties:
      edgeId: \${site.id}
      matchType: path_prefix
      match: /
      oidc: { issuer: "https://id.example.com", clientId: site, clientSecret: ${SECRET} }
`;

describeStacks("A program in YAML", ({ world, server }) => {
  const projectWith = (program: string, on: { url: string; apiKey: string } = server) =>
    new Project(on, program);

  it("declares, looks up and shows who can reach what; its secrets stay out of state and output", async function () {
    needsYaml(this);
    const project =
      projectWith(`${SITE}  agent: { type: "tunnelplane:TunnelCredential", properties: { acl: ["bind:app.example.com:443"] } }
outputs:
  token: \${agent.token}
`);
    const preview = await project.pulumi("preview");
    expect(preview.code, preview.text).to.equal(0);
    const up = await project.pulumi("up", "--yes", "--skip-preview");
    expect(up.code, up.text).to.equal(0);
    const { tls_edges } = (await server.rest.get("/edges/tls")).body;
    const edge = tls_edges.find((one: { hostports: string[] }) => one.hostports[0] === "app.example.com:443");
    expect(edge.tls_termination.min_version).to.equal("1.3");
    project.write(`variables:
  found: { fn::invoke: { function: "tunnelplane:getTlsEdge", arguments: { hostport: "APP.example.com:443" } } }
  rows: { fn::invoke: { function: "tunnelplane:getExposure", arguments: { address: "app.example.com:443" } } }
outputs:
  id: \${found.id}
  version: \${found.tlsTermination.minVersion}
  networks: \${rows.exposure[0].networks}
`);
    const state = project.stateFile();
    for (const text of [preview.text, up.text, state]) expect(text).not.to.contain(SECRET);
    expect(state).not.to.match(/tpt_/);
    const looked = await project.pulumi("preview", "--json");
    expect(looked.code, looked.text).to.equal(0);
    const outputs = await project.pulumi("up", "--yes", "--skip-preview", "--json");
    expect(outputs.code, outputs.text).to.equal(0);
    expect(JSON.parse((await project.pulumi("stack", "output", "--json")).text)).to.deep.equal({
      id: edge.id,
      version: "1.3",
      networks: "everyone",
    });
  });

  it("has the lines of its resources in reviews, wherever Pulumi looks for it", async function () {
    needsYaml(this);
    const resources = `resources:
  web: { type: "tunnelplane:TunnelGroupBackend", properties: { labels: { some_key: web } } }
  app:
    type: tunnelplane:TlsEdge
    name: named
    properties: { hostports: ["app.example.com:443"], backend: { backendId: "\${web.id}" } }
  prod: { type: "tunnelplane:CatalogueSet", properties: { file: tunnels.yaml } }
  wide: { type: "tunnelplane:Tunnel", properties: { hostports: ["wide.example.com:443"], networks: [0.0.0.0/0] } }
`;
    const project = projectWith(resources);
    writeFileSync(
      join(project.folder, "tunnels.yaml"),
      "tlsEdges:\n  open:\n    hostports: [open.example.com:443]\n",
    );
    const causes = async (): Promise<unknown[]> => {
      const { text } = await project.pulumi("preview", "--json", "--show-sames");
      const { findings } = review(text.slice(text.indexOf("{")), { folder: project.folder });
      return findings.flatMap(({ rule, cause: { name, file, line } }) =>
        rule === "opened-unprotected" ? [{ name, file, line }] : [],
      );
    };
    const placesIn = (file: string, first: number) => [
      { name: "named", file, line: first + 2 },
      { name: "open", file, line: first + 6 },
      { name: "wide", file, line: first + 7 }, // the component's
    ];
    expect(await causes()).to.deep.equal(placesIn("Pulumi.yaml", 3));
    project.write("main: infra\n");
    mkdirSync(join(project.folder, "infra"));
    writeFileSync(join(project.folder, "infra/Main.yaml"), resources);
    cpSync(join(project.folder, "tunnels.yaml"), join(project.folder, "infra/tunnels.yaml"));
    expect(await causes()).to.deep.equal(placesIn("infra/Main.yaml", 1));
  });

  it("gets an error for each property, type, value, setting and list that is wrong, with what is accepted", async function () {
    needsYaml(this);
    const mistakes = [
      `{ type: "tunnelplane:TlsEdge", properties: { hostport: "app.example.com:443" } }`,
      `{ type: "tunnelplane:TlsEdge", properties: { tlsTermination: { minVersion: "1.1" } } }`,
      `{ type: "tunnelplane:TlsEdge", options: { provider: "\${p}" } }`,
      `{ type: "tunnelplane:TlsEdge", properties: { hostports: [7] } }`,
    ];
    const resources = mistakes.map((resource, index) => `  app${index}: ${resource}\n`);
    resources.push(`  p: { type: "pulumi:providers:tunnelplane", properties: { baseURL: "http://x" } }\n`);
    for (const [program, ...words] of [
      [
        ...[resources.join(""), "hostports", 'Allowed values are V1_2 ("1.2"), V1_3 ("1.3")'],
        ...["baseUrl, apiKey, project, validateOnServer", "string"],
      ],
      // A type that does not exist stops the program at once.
      [`  app: { type: "tunnelplane:TlsEgde" }\n`, "TlsEgde"],
    ] as const) {
      const { code, text } = await projectWith(`resources:\n${program}`).pulumi("preview");
      expect(code, text).to.equal(1);
      for (const word of words) expect(text).to.contain(word);
    }
  });

  it("lists, creates, patches, deletes and imports single objects, by pulumi do and import, and later previews change nothing", async function () {
    needsYaml(this);
    const project = projectWith("resources: {}\n");
    const plugin = join(PLUGIN_BIN, "pulumi-resource-tunnelplane");
    const does = async (...words: string[]) => {
      const { code, text } = await project.pulumi("do", "--stateless", "--package", plugin, ...words);
      expect(code, text).to.equal(0);
      return text;
    };
    const listed = async (...query: string[]) =>
      JSON.parse(await does("tunnelplane:index:TlsEdge", "list", ...query));
    const office = async () => (await server.rest.get("/ip_policies")).body.ip_policies;
    await does("tunnelplane:index:IpPolicy", "create", "--yes", "--description", "office");
    const [{ id }] = await office();
    await does("tunnelplane:index:IpPolicy", "patch", id, "--yes", "--description", "home");
    expect(await office()).to.have.nested.property("[0].description", "home");
    await does("tunnelplane:index:IpPolicy", "delete", id, "--yes");
    expect(await office()).to.deep.equal([]);
    const edge = (
      await server.rest.post("/edges/tls", {
        hostports: ["imported.example.com:443"],
        tls_termination: { min_version: "1.3" },
      })
    ).body;
    const [hostport, name] = [edge.hostports[0], edge.resource_name ?? edge.id];
    expect(await listed("--hostports", hostport)).to.deep.equal([{ id: edge.id, name }]);
    expect(await listed("--hostports", "other.example.com:443")).to.deep.equal([]);
    const out = ["--protect=false", "--out", "generated.yaml"];
    const imported = await project.pulumi(
      "import",
      "tunnelplane:index:TlsEdge",
      "app",
      edge.id,
      "--yes",
      ...out,
    );
    expect(imported.code, imported.text).to.equal(0);
    const generated = readFileSync(join(project.folder, "generated.yaml"), "utf8");
    expect(generated).to.contain("type: tunnelplane:TlsEdge").and.to.contain("imported.example.com:443");
    expect(generated, "what has its default is left out").not.to.contain("metadata");
    project.write(generated);
    const up = await project.pulumi("up", "--yes", "--skip-preview");
    expect(up.text).to.contain("2 unchanged"); // with the stack itself
    expect((await server.rest.get(`/edges/tls/${edge.id}`)).body).to.deep.equal(edge);
    const missing = await project.pulumi(
      "import",
      "tunnelplane:index:TlsEdge",
      "no",
      "edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue",
      "--yes",
    );
    expect(missing.code).to.equal(1);
    expect(missing.text).to.contain("there is no TLS edge edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue");
  });

  it("refreshes what was imported without a change, whatever it is, and shows what drifts alone", async function () {
    needsYaml(this);
    const filled = await world.server();
    const project = projectWith("resources: {}\n", filled);
    await fill(filled.rest, 0);
    const resources: object[] = [];
    const add = (type: string, id: string): number =>
      resources.push({ type: `tunnelplane:index:${type}`, name: id, id });
    for (const { type, path, listKey } of registry.filter(
      (definition) => pathFieldsOf(definition).length === 0,
    )) {
      for (const { id, routes = [] } of (await filled.rest.get(`${path}?limit=100`)).body[listKey]) {
        add(type, id);
        for (const route of routes) add("HttpsEdgeRoute", `${id}/${route.id}`);
      }
    }
    writeFileSync(join(project.folder, "import.json"), JSON.stringify({ resources }));
    const imported = await project.pulumi(...IMPORT);
    expect(imported.code, imported.text).to.equal(0);
    const refreshed = await project.pulumi("refresh", "--yes", "--diff");
    expect(refreshed.text).to.contain(`${resources.length + 1} unchanged`); // with the stack itself
    const edges: { id: string; mutual_tls: unknown }[] = (await filled.rest.get("/edges/tls")).body.tls_edges;
    const { id } = edges.find((edge) => edge.mutual_tls) as { id: string };
    await filled.rest.patch(`/edges/tls/${id}`, { description: "drifted" });
    const { text } = await project.pulumi("refresh", "--yes", "--diff");
    expect(text).to.contain("1 updated").and.to.contain("drifted").and.not.to.contain("enabled");
  });
});

describe("`pulumi convert`", () => {
  const { server } = worldOfThisFile();
  let project: Project | undefined;

  it("makes of a program in YAML one that declares the same", async function () {
    needsBesideEngine(this, "pulumi-language-yaml", "pulumi-converter-yaml");
    project = new Project(server, SITE);
    const up = await project.pulumi("up", "--yes", "--skip-preview");
    expect(up.code, up.text).to.equal(0);
    // The other languages need their own hosts, which come with Pulumi's installer.
    const converted = await project.pulumi(
      "convert",
      "--from",
      "yaml",
      "--language",
      "yaml",
      "--out",
      "converted",
      "--generate-only",
    );
    expect(converted.code, converted.text).to.equal(0);
    project.write(readFileSync(join(project.folder, "converted/Main.yaml"), "utf8"));
    const preview = await project.pulumi("preview");
    expect(preview.text).to.contain("5 unchanged"); // with the stack itself
  });
});

describe("The schema of the native provider", () => {
  const project = new Project({ url: "http://127.0.0.1:9", apiKey: "none" }, "resources: {}\n");

  it("is one in which Pulumi finds nothing wrong, as the engine gets it", async () => {
    const plugin = join(PLUGIN_BIN, "pulumi-resource-tunnelplane");
    const { text } = await project.pulumi("package", "get-schema", plugin);
    const { resources, functions } = JSON.parse(text) as { resources: object; functions: object };
    for (const { type } of registry) {
      expect(resources).to.have.property(`tunnelplane:index:${type}`);
      expect(functions).to.have.property(`tunnelplane:index:get${type}`);
    }
    writeFileSync(join(project.folder, "schema.json"), text);
    const checked = await project.pulumi("schema", "check", join(project.folder, "schema.json"));
    expect(checked.code, checked.text).to.equal(0);
    expect(checked.text.trim()).to.equal("");
  });
});
