import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as tunnels from "@tunnelplane/pulumi";
import ts from "typescript";
import { runReview } from "../review/support";
import { runHere } from "../support/commandLine";
import type { Engine } from "../support/engine";
import { changesOf, describeStacks } from "../support/provider";
import { Rest } from "../support/rest";

const PAGE = readFileSync(join(__dirname, "../../docs/how-to/teams.md"), "utf8");

function programOfPage(): () => Promise<Record<string, unknown>> {
  const [, indented = ""] = /```ts\n([\s\S]*?)\n *```/.exec(PAGE) ?? [];
  const { outputText } = ts.transpileModule(indented, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const run = new Function("require", "exports", outputText);
  return async () => {
    const outputs: Record<string, unknown> = {};
    run((name: string) => (name === "@tunnelplane/pulumi" ? tunnels : pulumi), outputs);
    return outputs;
  };
}

describeStacks("The program of docs/how-to/teams.md", ({ world, server }) => {
  let stack: Engine;
  let [shop, billing]: [Rest, Rest] = [] as never;
  let keys: { readonly shop: string; readonly billing: string };
  let officesId: string;
  before("run it", async () => {
    const env = { TUNNELPLANE_VALIDATE_ON_SERVER: "true" };
    stack = await world.stack(server, programOfPage(), { env });
    await stack.preview();
    await stack.up();
    const outputs = await stack.outputs();
    officesId = outputs.officesId?.value;
    keys = outputs.keys?.value;
    [shop, billing] = [new Rest(server.url, keys.shop), new Rest(server.url, keys.billing)];
  });

  it("changes nothing the second time, and finds nothing changed", async () => {
    expect(changesOf(await stack.up({ refresh: true }))).to.deep.equal([]);
  });

  it("gives each team a key that sees its own project, and what is shared", async () => {
    const { body } = await shop.get("/caller");
    expect(body.projects.map(({ name, role }: { name: string; role: string }) => [name, role])).to.deep.equal(
      [["shop", "member"]],
    );
    const backend = (await shop.post("/backends/static", { address: "app.example.com:80" })).body;
    expect((await shop.get(`/backends/static/${backend.id}`)).status).to.equal(200);
    expect((await billing.get(`/backends/static/${backend.id}`)).status).to.equal(404);
    expect((await billing.get("/backends/static")).body.backends).to.deep.equal([]);
    await shop.delete(`/backends/static/${backend.id}`);
    for (const team of [shop, billing]) {
      expect((await team.get(`/ip_policies/${officesId}`)).body.description).to.equal("our offices");
      expect((await team.patch(`/ip_policies/${officesId}`, { description: "mine" })).status).to.equal(403);
      const edge = await team.post("/edges/tls", { ip_restriction: { ip_policy_ids: [officesId] } });
      expect(edge.status, edge.text).to.equal(201);
      await team.delete(`/edges/tls/${edge.body.id}`);
    }
  });

  it("has reviews know what is shared, and commands list it", async () => {
    const { url } = server;
    const own = await world.stack({ url, apiKey: keys.shop }, async () => {
      new tunnels.TlsEdge("shop", {
        hostports: ["shop.example.com:443"],
        ipRestriction: { ipPolicyIds: [officesId] },
      });
    });
    const env = { TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: keys.shop };
    const input = await own.previewJson();
    const { stdout } = await runReview(["-", "--format", "json"], { input, env });
    const [added] = JSON.parse(stdout).findings;
    expect(added).to.include({ rule: "address-added", certain: true });
    expect(added.after.networks.v4).to.deep.equal(["192.0.2.0/24"]);
    const { out } = await runHere(["list", "ip-policies", "--shared", "-o", "json"], env);
    expect(JSON.parse(out).map(({ id }: { id: string }) => id)).to.deep.equal([officesId]);
  });

  it("leaves nothing when it is destroyed", async () => {
    await stack.destroy();
    const { projects } = (await server.rest.get("/projects")).body;
    expect(projects.map((project: { name: string }) => project.name)).to.deep.equal(["default"]);
  });
});
