import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { review } from "@tunnelplane/pulumi/review";
import { newFolder } from "../support/folder";
import { previewOf, tlsEdge } from "./support";

const OPENED = { before: {}, after: { mutualTls: null } };

/** As the host of HCL has a preview: with the native provider's types, and no line of any program. */
const preview = (...names: string[]): string =>
  JSON.stringify(
    JSON.parse(
      previewOf(names.map((name) => tlsEdge(name, OPENED))).replaceAll(
        "pulumi-nodejs:dynamic/tunnelplane:",
        "tunnelplane:index:",
      ),
    ),
    (field, value) => (field === "stackTrace" ? undefined : value),
  );

/** Where a review says that each of these edges is declared. */
function locationsOf(folder: string, ...names: string[]): Record<string, string> {
  const { findings } = review(preview(...names), { folder });
  return Object.fromEntries(
    findings.map(({ cause: { name, file, line } }) => [name, file === undefined ? "" : `${file}:${line}`]),
  );
}

const MAIN = `# resource "tunnelplane_tls_edge" "site" { in a comment }
locals {
  text = "resource \${upper("{")} \\" {"
  more = <<-EOT
    resource "tunnelplane_tls_edge" "site" {
    EOT
}
/* { */
resource "tunnelplane_tls_edge" "site" {
  for_each  = toset(["a.b", "c"])
  hostports = ["\${each.key}:443"]
}

resource "tunnelplane_ip_policy" "other" {}
resource tunnelplane_tls_edge "other" {
  hostports = []
  pulumi {
    name = "named by hand"
  }
}
module "shop" {
  source = "./modules/shop"
}
module "far" {
  source = "example/far/tunnelplane"
}
`;

describe("The review of a program in HCL", () => {
  const names = ["site", 'site["a.b"]', "named by hand", "shop.inner[0]", "far.deep", "unknown"];

  it("names the file and the line of each resource, also of count, for_each and modules", () => {
    const folder = newFolder();
    mkdirSync(join(folder, "modules/shop"), { recursive: true });
    writeFileSync(join(folder, "main.tf"), MAIN);
    writeFileSync(join(folder, "edges_override.tf"), 'resource "tunnelplane_tls_edge" "site" {}\n');
    const inner = '\n\nresource "tunnelplane_tls_edge" "inner" {\n  count = 2\n}\n';
    writeFileSync(join(folder, "modules/shop/edges.tf"), inner);
    const found = {
      site: "main.tf:9",
      'site["a.b"]': "main.tf:9",
      "named by hand": "main.tf:15",
      "shop.inner[0]": "modules/shop/edges.tf:3",
      "far.deep": "main.tf:24", // the module's, whose files are elsewhere
      unknown: "",
    };
    expect(locationsOf(folder, ...names)).to.deep.equal(found);
    const project = newFolder();
    writeFileSync(join(project, "Pulumi.yaml"), "name: tunnels\nruntime: hcl\nmain: infra\n");
    mkdirSync(join(project, "infra"));
    writeFileSync(join(project, "infra/main.tf"), MAIN);
    expect(locationsOf(project, "site")).to.deep.equal({ site: "infra/main.tf:9" });
  });

  it("is there without lines where the program cannot be read", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "main.tf"), `${'"${'.repeat(100_000)} resource "x`);
    expect(locationsOf(folder, "site")).to.deep.equal({ site: "" });
    expect(locationsOf(join(folder, "missing"), "site")).to.deep.equal({ site: "" });
  });
});
