import { spawnSync } from "node:child_process";
import * as pulumi from "@pulumi/pulumi";
import { expect } from "chai";
import { type Choices, httpsSignIn } from "../../examples/https-sign-in/program";
import { itKeepsItsPromises } from "./support";

const { locateEngine } = require("../../scripts/engine.cjs") as { locateEngine(): string | undefined };

describe("The example https-sign-in", () => {
  it("declares a site with two routes below one edge, with the provider of random secrets mocked", async () => {
    const declared: { type: string; name: string; inputs: Record<string, unknown> }[] = [];
    await pulumi.runtime.setMocks({
      newResource: ({ type, name, inputs, id }) => {
        declared.push({ type, name, inputs });
        return { id: id || `${name}-id`, state: { ...inputs, result: "made-up" } };
      },
      call: ({ inputs }) => inputs,
    });
    httpsSignIn();
    await pulumi.runtime.disconnect();
    const routes = declared.filter(({ type }) => type.endsWith(":HttpsEdgeRoute"));
    expect(routes.map(({ name, inputs }) => `${name} ${inputs.edgeId} ${inputs.match}`)).to.have.members([
      "pages site-id /",
      "api site-id /api",
    ]);
    const { oidc } = routes.find(({ name }) => name === "pages")?.inputs ?? {};
    expect(JSON.stringify(oidc)).to.contain("made-up");
  });

  const promises = {
    creates: 6,
    update: { edit: { inactivityTimeout: 600 }, changes: ["update pages oidc.inactivityTimeout"] },
    replace: {
      edit: { separateApi: true },
      changes: ["create api", "create-replacement api edgeId", "replace api edgeId", "delete-replaced api"],
    },
    fail: { edit: { inactivityTimeout: 90_000 }, says: "oidc.inactivityTimeout must not be longer than" },
  };
  describe("with a secret that is given to it", () => {
    itKeepsItsPromises<Choices>({ ...promises, program: (choices) => httpsSignIn({ clientSecret: "given", ...choices }) });
  });

  describe("with a random secret", () => {
    if (randomPluginIsInstalled()) itKeepsItsPromises<Choices>({ ...promises, program: httpsSignIn });
    else {
      it("skipped: the plugin of @pulumi/random is not installed, and here it cannot be downloaded", function () {
        this.skip();
      });
    }
  });
});

function randomPluginIsInstalled(): boolean {
  const { stdout } = spawnSync(`${locateEngine()}/bin/pulumi`, ["plugin", "ls", "--json"], { encoding: "utf8" });
  return stdout.includes('"random"');
}
