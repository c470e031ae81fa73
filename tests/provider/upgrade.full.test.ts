import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as tunnels from "@tunnelplane/pulumi";
import { definitionOf, modulesOf, registry } from "@tunnelplane/sdk/contract";
import { newFolder } from "../support/folder";
import { changesOf, describeStacks, requestsDuring } from "../support/provider";

const ROOT = join(__dirname, "../..");

describeStacks("An upgrade of the package", ({ world, server }) => {
  let packages: string;
  before(() => {
    packages = packagesWithVersion("9.9.9");
  });

  it("changes no declared object, and works on the old version's state", async () => {
    let description = "first";
    const stack = await world.stack(server, async () => {
      const backend = new tunnels.TunnelGroupBackend("backend", { labels: { service: "web" }, description });
      new tunnels.TlsEdge("edge", { backend: { backendId: backend.id } });
    });
    await stack.up();
    stack.usePackages(packages);
    expect(changesOf(await stack.up()), "nothing to do").to.deep.equal([]);
    await stack.refresh();
    description = "second";
    expect(changesOf(await stack.up())).to.deep.equal(["update backend description"]);
    const requests = await requestsDuring(server, () => stack.destroy());
    expect(requests.filter((request) => request !== "GET /caller")).to.have.length(2);
  });

  it("keeps the short provider text in every state, which is the same for every version", () => {
    const kinds = registry.flatMap(({ kind }) => [
      kind,
      ...modulesOf(definitionOf(kind)).map((module) => `${kind}.${module}`),
    ]);
    const { providerLiteral } = require(join(ROOT, "provider/dist/host/typeToken.js")) as {
      providerLiteral(kind: string): string;
    };
    expect(providerLiteral("tls_edge")).to.equal(
      'exports.handler=()=>require("@tunnelplane/pulumi/dynamic")("tls_edge")',
    );
    for (const kind of kinds) expect(providerLiteral(kind).length, kind).to.be.at.most(100);
  });
});

/** Packages as another version of ours would be installed: the same code, elsewhere, under another number. */
function packagesWithVersion(version: string): string {
  const folder = join(newFolder(), "node_modules");
  mkdirSync(folder);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name !== "@tunnelplane") symlinkSync(join(ROOT, "node_modules", name), join(folder, name));
  }
  mkdirSync(join(folder, "@tunnelplane"));
  symlinkSync(join(ROOT, "sdk"), join(folder, "@tunnelplane/sdk"));
  const ours = join(folder, "@tunnelplane/pulumi");
  cpSync(join(ROOT, "provider/dist"), join(ours, "dist"), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(ROOT, "provider/package.json"), "utf8"));
  writeFileSync(join(ours, "package.json"), JSON.stringify({ ...manifest, version }));
  return folder;
}
