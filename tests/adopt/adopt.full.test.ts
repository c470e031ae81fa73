import { statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { changesOf, World } from "../support/provider";
import { CANARY, fill, meaningOf, Project, worldOf } from "./support";

const { isBesideEngine } = require("../../tools/scripts/engine.cjs") as {
  isBesideEngine(program: string): boolean;
};

describe("adopt writes the program of a server", () => {
  const world = new World();

  for (const format of ["ts", "yaml"]) {
    it(`as ${format}, with objects of all kinds: imported, the next preview shows no change, and an empty server gets the same world`, async function () {
      if (!isBesideEngine("pulumi-language-yaml")) {
        console.log(
          "      skipped: there is no language of the engine that `pulumi import` could ask; see tools/scripts/engine.cjs",
        );
        return this.skip();
      }
      const [server, empty] = [await world.server(), await world.server()];
      await fill(server.rest, 0);
      const before = await worldOf(server.rest);
      const made = new Project();
      const adopted = await made.adopt(server, "--format", format);
      expect(adopted.code, adopted.stderr).to.equal(0);
      expect(adopted.stdout).to.contain(`declares ${before.length} of the ${before.length} objects`);
      expect(adopted.stdout).to.contain("it is the API key of this command");
      const files = [
        ".gitignore",
        "Pulumi.yaml",
        "package.json",
        "tsconfig.json",
        "index.ts",
        ...(format === "yaml" ? ["tunnels.yaml"] : []),
      ];
      expect(adopted.stdout + adopted.stderr + files.map(made.read).join()).not.to.contain(CANARY);
      expect(statSync(join(made.folder, "import.json")).mode & 0o777).to.equal(0o600);
      expect(made.read(".gitignore").split("\n")).to.include("import.json");
      const stack = await made.stack(server);
      const set = await made.setSecrets("dev");
      expect(set.code, set.stderr).to.equal(0);
      const imported = await made.import("dev");
      expect(imported.code, imported.stdout + imported.stderr).to.equal(0);
      expect(changesOf(await stack.preview())).to.deep.equal([]);
      await stack.refresh();
      expect(changesOf(await stack.up()), "after a refresh").to.deep.equal([]);
      expect(await worldOf(server.rest), "nothing changes on the server").to.deep.equal(before);
      for (const text of [imported.stdout, imported.stderr, set.stdout, set.stderr, stack.stateFile()])
        expect(text).not.to.contain(CANARY);
      const copy = await made.open(empty, "copy");
      expect((await made.setSecrets("copy")).code).to.equal(0);
      await copy.up();
      const [copied, original] = [meaningOf(await worldOf(empty.rest)), meaningOf(before)];
      expect(copied.filter((one) => !original.includes(one))).to.deep.equal([]);
      expect(copied).to.deep.equal(original);
    });
  }
});
