import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CatalogueFile, check } from "@tunnelplane/sdk/catalogue";
import { certificate } from "../support/api/fixtures";
import { newFolder } from "../support/folder";
import { compared, followed, stepsOf } from "../support/literally";
import { Rest } from "../support/rest";
import { ServerProcess } from "../support/server";

const page = (name: string): string => join(__dirname, "../../docs", name);

describe("The output that pages show", () => {
  it("of a catalogue with mistakes is that of the page's own catalogue", () => {
    const text = readFileSync(page("catalogue.md"), "utf8");
    const [, yaml = ""] = /^```yaml\n(.*?)^```/ms.exec(text) ?? [];
    const [, shown = ""] = /^```\n(tunnels\.yaml has .*?)^```/ms.exec(text) ?? [];
    const document = new CatalogueFile(
      "tunnels.yaml",
      yaml.replace("backendId: web", "backendId: wep").replace('"1.3"', "1.3"),
      { "!file": () => certificate().pem },
    );
    check(document);
    expect(shown).not.to.equal("");
    compared(document.report(), shown.trimEnd().split("\n"));
  });

  it("of a dry run with findings is what the server answers", async () => {
    const folder = newFolder();
    const server = await ServerProcess.start();
    const api = new Rest(server.url, server.apiKey);
    const { body: authority } = await api.post("/certificate_authorities", { ca_pem: certificate().pem });
    const mutual_tls = { certificate_authority_ids: [authority.id] };
    const { body: edge } = await api.post("/edges/tls", { hostports: ["app.example.com:443"], mutual_tls });
    const env = { URL: server.url, KEY: server.apiKey };
    await followed(stepsOf(page("meaning.md")), { folder, env, replace: { "edgtls_…": edge.id as string } });
  });
});
