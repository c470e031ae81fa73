import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generated } from "../../tools/generate/main";

describe("Generated files", () => {
  for (const [path, text] of generated()) {
    it(`${path} is up to date with the contract (npm run generate)`, () => {
      expect(readFileSync(join(__dirname, "../..", path), "utf8")).to.equal(text);
    });
  }
});
