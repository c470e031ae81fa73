import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENTRY_NAME } from "@tunnelplane/sdk/contract";
import { parse } from "yaml";
import { describeStacks } from "../support/provider";
import { Rest } from "../support/rest";
import { fill, Project, tunnelplanePulumi, worldOf } from "./support";

const namesIn = (project: Project): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(parse(project.read("tunnels.yaml"), { logLevel: "silent" }) as Record<string, object>).map(
      ([collection, entries]) => [collection, Object.keys(entries)],
    ),
  );

describeStacks("The program that adopt writes", ({ world, server }) => {
  before("fill a server", async () => {
    await fill(server.rest, 0);
  });

  it("is the same on every run, with unique names that are valid in catalogues", async () => {
    const [first, second] = [new Project(), new Project()];
    const runs = [
      await first.adopt(server, "--format", "yaml"),
      await second.adopt(server, "--format", "yaml"),
    ];
    expect(runs.map(({ code }) => code)).to.deep.equal([0, 0]);
    for (const file of ["tunnels.yaml", "import.json", "index.ts"])
      expect(first.read(file)).to.equal(second.read(file));
    const names = Object.values(namesIn(first)).flat();
    expect(new Set(names).size).to.equal(names.length);
    for (const name of names) expect(name).to.match(ENTRY_NAME);
    expect(namesIn(first).tlsEdges).to.include("example.com-443");
    expect(namesIn(first).ipPolicies).to.include.members(
      "office office-ip-policy 5 ip-policy ip-policy-2 true 1e3".split(" "),
    );
    expect(namesIn(first).certificateAuthorities).to.deep.equal(["example.com"]);
  });

  it("names objects as their earlier programs did, before all others, and in a form that catalogues take", async () => {
    const named = (path: string, name: string, body: object) =>
      server.rest.post(path, body, { "tunnelplane-name": encodeURIComponent(name) });
    await named("/edges/tls", "Shop_1.eu", { description: "the shop" });
    await server.rest.post("/api_keys", { description: "Shop_1.eu" });
    await named("/ip_policies", "Shop_1.eu", {});
    await named("/ip_policies", "Große Läden/2", { description: "shops" });
    const adopted = new Project();
    await adopted.adopt(server, "--format", "yaml");
    const names = namesIn(adopted);
    expect(names.tlsEdges).to.include("Shop_1.eu-tls-edge");
    expect(names.ipPolicies).to.include.members(["Shop_1.eu", "gro-e-laden-2"]);
    expect(names.apiKeys, "no program gave it that name").to.include("shop_1.eu");
    const { resources } = JSON.parse(adopted.read("import.json"));
    const edge = resources.find(({ name }: { name: string }) => name === "Shop_1.eu-tls-edge");
    expect(JSON.stringify(edge)).to.contain("the shop").and.not.to.contain("resourceName");
  });

  it("gets this package from tarballs of its own, because the registry may not have it, or from those that are named", async () => {
    const [made, given] = [new Project(), new Project()];
    expect((await made.adoptAlone(server)).code).to.equal(0);
    const places = JSON.parse(made.read("package.json"));
    const tarball = (name: string): string => {
      const { dependencies } = JSON.parse(made.read("package.json"));
      expect(dependencies[`@tunnelplane/${name}`]).to.match(
        /^file:\.\/packages\/tunnelplane-[a-z]+-\d.*\.tgz$/,
      );
      return join(made.folder, dependencies[`@tunnelplane/${name}`].slice("file:".length));
    };
    for (const name of ["pulumi", "sdk"]) expect(statSync(tarball(name)).size).to.be.greaterThan(10_000);
    expect((await given.adoptAlone(server, "--packages", join(made.folder, "packages"))).code).to.equal(0);
    expect(JSON.parse(given.read("package.json"))).to.deep.equal(places);
    const none = await new Project().adoptAlone(server, "--packages", "/nowhere");
    expect([none.code, none.stderr]).to.deep.equal([
      1,
      "tunnelplane-pulumi: /nowhere holds no tarball of @tunnelplane/pulumi; in a clone, npm run pack writes them to release/\n",
    ]);
  });

  it("names the owner of a credential unless that is the caller, and by its name where it is declared", async () => {
    const made = new Project();
    await made.adopt(server);
    const program = made.read("index.ts");
    expect(program).to.match(
      /new tunnels\.TunnelCredential\("ci[\w-]*", \{(?:(?!new ).)*ownerId: ciBot\.id/s,
    );
    const { owner_id } = (await server.rest.get("/caller")).body;
    expect(program).not.to.contain(owner_id);
    const { resources } = JSON.parse(made.read("import.json")) as {
      resources: { inputs: object; outputs: object }[];
    };
    for (const { inputs, outputs } of resources) {
      expect(JSON.stringify(inputs)).not.to.contain(owner_id);
      expect(outputs).to.have.property("__provider");
      expect(outputs).to.have.property("__server");
    }
  });

  it("has only the kinds and names of --only, with ids for other objects", async () => {
    const made = new Project();
    const ran = await made.adopt(
      server,
      "--format",
      "yaml",
      "--only",
      "weighted_backend",
      "--only",
      "example.com-443",
    );
    expect(ran.code, ran.stderr).to.equal(0);
    expect(namesIn(made)).to.deep.equal({
      weightedBackends: ["5-weighted-backend"],
      tlsEdges: ["example.com-443"],
    });
    const catalogue = made.read("tunnels.yaml");
    expect(catalogue).to.match(/backends:\n\s+bkdtg_\w{27}: 95/);
    expect(catalogue).to.match(/backendId: bkdfo_\w{27}/);
  });

  it("is not written if --only fits no object or the folder is not empty, and one line says so", async () => {
    const made = new Project();
    const nothing = await made.adopt(server, "--only", "tls_edges");
    expect([nothing.code, nothing.stdout]).to.deep.equal([1, ""]);
    expect(nothing.stderr).to.match(/^tunnelplane-pulumi: --only tls_edges fits no object: [^\n]*\n$/);
    mkdirSync(made.folder);
    writeFileSync(join(made.folder, "mine.txt"), "mine");
    const full = await made.adopt(server);
    expect([full.code, full.stdout]).to.deep.equal([1, ""]);
    expect(full.stderr).to.equal(
      `tunnelplane-pulumi: ${made.folder} is not empty; name a folder that is new or empty\n`,
    );
  });

  it("leaves out what the key may not see, and says so", async () => {
    const bot = (await server.rest.post("/bot_users", { name: "member" })).body.id;
    const { token } = (await server.rest.post("/api_keys", { owner_id: bot })).body;
    await new Rest(server.url, token).post("/credentials", { description: "of the member" });
    const made = new Project();
    const ran = await made.adopt({ url: server.url, apiKey: token });
    expect(ran.code, ran.stderr).to.equal(0);
    expect(ran.stdout).to.contain("all event destinations: this API key may not see them");
    expect(ran.stdout).to.contain("all bot users: this API key may not see them");
    expect(ran.stdout).to.contain("of others: this API key may not see them");
    const program = made.read("index.ts");
    expect(program)
      .to.contain('new tunnels.TunnelCredential("of-the-member"')
      .and.to.contain("new tunnels.Guarantee(")
      .and.not.to.contain("tunnels.BotUser");
    await server.rest.delete(`/bot_users/${bot}`);
  });

  it("is refused to a viewer, whose program would lack the secrets", async () => {
    const { id, uri } = (await server.rest.post("/bot_users", { name: "reviews", role: "viewer" })).body;
    const key = (await server.rest.post("/api_keys", { owner_id: id })).body;
    const ran = await new Project().adopt({ url: server.url, apiKey: key.token });
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.contain("belongs to reviews, a viewer, which reads no secrets");
    for (const made of [key.uri, uri]) await server.rest.delete(made);
  });

  it("has every object of a server that answers in many pages", async () => {
    const large = await world.server();
    await fill(large.rest, 250);
    const [made, objects] = [new Project(), await worldOf(large.rest)];
    const ran = await made.adopt(large, "--format", "yaml");
    expect(ran.stdout).to.contain(`declares ${objects.length} of the ${objects.length} objects`);
    const { resources } = JSON.parse(made.read("import.json")) as { resources: { id: string }[] };
    expect(resources.map(({ id }) => id.split("/").at(-1))).to.include.members(objects.map(({ id }) => id));
  });

  it("is not written without a server or with a wrong key, and one line says so", async () => {
    const made = new Project();
    const nobody = await made.adopt({ url: "http://127.0.0.1:9", apiKey: "x" });
    expect([nobody.code, nobody.stderr]).to.deep.equal([
      1,
      "tunnelplane-pulumi: http://127.0.0.1:9 does not answer (connection refused); is the server running? The address comes from --url\n",
    ]);
    const wrong = await made.adopt({ url: server.url, apiKey: "wrong" });
    expect(wrong.code).to.equal(1);
    expect(wrong.stderr).to.match(
      /^tunnelplane-pulumi: \S+ refused the API key from TUNNELPLANE_API_KEY: [^\n]*\n$/,
    );
    const none = await tunnelplanePulumi(["adopt", "--url", server.url, "--out", made.folder], {
      TUNNELPLANE_API_KEY: "",
    });
    expect(none.stderr).to.equal(
      "tunnelplane-pulumi: There is no API key: set TUNNELPLANE_API_KEY, pass --api-key, or run tunnelplane login\n",
    );
    const other = await tunnelplanePulumi(["secrets", __filename]);
    expect(other.stderr).to.equal(
      `tunnelplane-pulumi: ${__filename} is not JSON; expected the import file that adopt wrote\n`,
    );
  });
});
