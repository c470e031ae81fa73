import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "@tunnelplane/pulumi/review";
import { ENVOY } from "../support/envoy";
import { Folder, previewOf, runReview, same, step, tlsEdge, tokensOf } from "./support";

const ROOT = join(__dirname, "../..");

describe("review --try", () => {
  const folder = new Folder();
  let preview: string;

  before("write a preview that opens two addresses", function () {
    if (!ENVOY) {
      console.log("    Skipped: Envoy could not be installed, because Python 3 with venv is missing");
      return this.skip();
    }
    const route = { edgeId: "id_of_site", matchType: "path_prefix", backend: { backendId: "id_of_web" } };
    preview = folder.write(
      "preview.json",
      previewOf([
        same("StaticBackend", "web", { address: "10.0.0.7:8080" }),
        same("HttpsEdge", "site", { hostports: ["site.example.com:443"] }),
        same("HttpsEdgeRoute", "root", { ...route, match: "/" }),
        step("HttpsEdgeRoute", "admin", { before: { ...route, match: "/admin", jwtValidation: tokensOf() } }),
        // Its authority and its backend are declared elsewhere.
        tlsEdge("door", {
          before: { backend: { backendId: "bkdsc_of_others" } },
          after: { backend: { backendId: "bkdsc_of_others" }, mutualTls: undefined },
        }),
      ]),
    );
  });

  const run = async (args: string[], env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await runReview([preview, "--folder", ROOT, ...args], {
      env: { TUNNELPLANE_ENVOY: String(ENVOY), ...env },
    });
    return { code, stdout, stderr };
  };

  it("sends each example to Envoy before and after the change, and says that it does what the report says", async () => {
    const { code, stdout, stderr } = await run(["--try", "--format", "json"]);
    const { tried, access } = JSON.parse(stdout) as Report;
    expect(access.opened.map(({ address }) => address)).to.have.members([
      "door.example.com:443",
      "site.example.com:443/",
    ]);
    expect(tried?.sentence).to.match(
      /^Tried on Envoy: it does what this report says for all \d+ examples\.$/,
    );
    expect(tried?.requests).to.be.at.least(2);
    expect(tried?.differing).to.deep.equal([]);
    expect([code, stderr]).to.deep.equal([2, stderr]);
    const others = await Promise.all(
      ["markdown", "html", "sarif"].map((format) => run(["--try", "--format", format])),
    );
    for (const one of others)
      expect(one.stdout).to.contain("Tried on Envoy: it does what this report says for all");
  });

  it("ends with 1 where Envoy does something else", async () => {
    const limit = { "envoy.resource_limits.listener.port 443.connection_limit": 0 };
    const more = { layered_runtime: { layers: [{ name: "more", static_layer: limit }] } };
    const closing = folder.write(
      "envoy",
      `#!/bin/sh\nexec ${ENVOY} "$@" --config-yaml '${JSON.stringify(more)}'\n`,
    );
    chmodSync(closing, 0o755);
    const { code, stdout, stderr } = await run(["--try", "--format", "json"], { TUNNELPLANE_ENVOY: closing });
    const { tried } = JSON.parse(stdout) as Report;
    expect(tried?.differing).to.have.length.greaterThan(0);
    expect(stderr).to.match(/^Tried on Envoy: it does SOMETHING ELSE than this report says for \d+ of \d+/);
    expect(code).to.equal(1);
  });

  it("says in one sentence where the gateway or Envoy is absent, and ends as without it", async () => {
    const empty = join(folder.path, "empty");
    mkdirSync(empty);
    const none = await run(["--try", "--folder", empty], { PATH: empty });
    const said =
      "Not tried on Envoy: tunnelplane-gateway is not installed here (npx tunnelplane review, of the package tunnelplane, has it inside).";
    expect(none.stdout).to.contain("Not tried on Envoy: tunnelplane-gateway is not installed here");
    expect([none.code, none.stderr.split("\n")[0]]).to.deep.equal([2, said]);
    const lacking = await run(["--try"], { TUNNELPLANE_ENVOY: "/nowhere/envoy" });
    expect(lacking.stderr).to.match(/^Not tried on Envoy: Envoy could not be run as \/nowhere\/envoy/);
    expect([lacking.code, (await run([])).stderr.includes("tried")]).to.deep.equal([2, false]);
  });
});
