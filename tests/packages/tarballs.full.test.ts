import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { Packed, publishedPackages } from "../support/packed";

const ROOT = join(__dirname, "../..");
const BIN = join(ROOT, "node_modules/.bin");
const APACHE = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30";
const CHANGELOG = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");

describe("The published package", () => {
  let packed: Packed;
  before("pack all packages", () => {
    packed = Packed.make();
  });

  for (const { folder, manifest } of publishedPackages()) {
    describe(manifest.name, () => {
      let content: string;
      before("unpack it", () => {
        content = join(packed.folder, folder);
        mkdirSync(content);
        execFileSync("tar", ["xzf", packed.tarball(manifest.name), "-C", content, "--strip-components=1"]);
      });

      it("holds a README, the changelog, and the licence in its standard text", () => {
        const sha256 = createHash("sha256")
          .update(readFileSync(join(content, "LICENSE")))
          .digest("hex");
        expect(sha256).to.equal(APACHE);
        expect(readFileSync(join(content, "README.md"), "utf8")).to.contain(`# ${manifest.name}\n`);
        expect(readFileSync(join(content, "CHANGELOG.md"), "utf8")).to.equal(CHANGELOG);
      });

      it("holds the sources that its source maps name", () => {
        const maps = readdirSync(content, { recursive: true, encoding: "utf8" }).filter((file) =>
          file.endsWith(".map"),
        );
        const missing = maps.flatMap((file) => {
          const { sources, sourceRoot = "" } = JSON.parse(readFileSync(join(content, file), "utf8")) as {
            sources: string[];
            sourceRoot?: string;
          };
          return sources
            .map((source) => join(content, dirname(file), sourceRoot, source))
            .filter((source) => !existsSync(source));
        });
        expect(missing).to.deep.equal([]);
        if (existsSync(join(content, "dist"))) expect(maps).not.to.have.length(0);
      });

      it("holds neither tests nor what the build keeps for itself", () => {
        const files = readdirSync(content, { recursive: true, encoding: "utf8" });
        expect(
          files.filter((file) => /\.test\.|\.tsbuildinfo$|node_modules|(^|\/)\.env/.test(file)),
        ).to.deep.equal([]);
      });

      it("says where it comes from, and is published with its provenance", () => {
        expect(manifest.repository).to.include({ type: "git", directory: folder });
        for (const field of ["description", "homepage", "bugs", "license"])
          expect(manifest[field], field).to.be.a("string");
        expect(manifest.keywords).to.be.an("array").with.length.above(2);
        expect(manifest.publishConfig).to.deep.equal({ access: "public", provenance: true });
        expect(CHANGELOG).to.contain(`\n## [${manifest.version}] - `);
      });

      for (const tool of ["publint", "attw"])
        it(`passes ${tool}`, () => {
          const { status, stdout, stderr } = spawnSync(join(BIN, tool), [packed.tarball(manifest.name)], {
            encoding: "utf8",
          });
          expect(status, stdout + stderr).to.equal(0);
        });
    });
  }
});
