import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { generated } from "../../generate/main";

describe("What follows from the contract", () => {
  for (const [path, text] of generated()) {
    it(`${path} is what the contract says today (npm run generate)`, () => {
      expect(readFileSync(join(__dirname, "../..", path), "utf8")).to.equal(text);
    });
  }
});
