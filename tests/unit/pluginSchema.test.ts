import { registry } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { z } from "zod";
import { Types } from "../../generate/schema/types";

const { resources } = require("../../plugin/schema.json") as { resources: Record<string, { description: string }> };

describe("The native provider's schema", () => {
  for (const { type, title } of registry) {
    it(`has an example of ${title} for every language that can say it`, () => {
      const { description = "" } = resources[`tunnelplane:index:${type}`] ?? {};
      const [, examples = ""] = /\{\{% examples %\}\}([\s\S]*)\{\{% \/examples %\}\}/.exec(description) ?? [];
      const languages = [...examples.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
      // The keys of a map cannot be references in YAML.
      const yaml = type === "WeightedBackend" ? [] : ["yaml"];
      expect(languages).to.deep.equal(["typescript", ...yaml, "python", "go", "csharp", "java"]);
    });
  }

  it("tells of a deprecated field, as the contract does", () => {
    const { old, current } = new Types().properties("Thing", {
      old: z.string().optional().meta({ deprecated: true, description: "Use `current`." }),
      current: z.string().optional(),
    });
    expect(old?.deprecationMessage).to.equal("Use `current`.");
    expect(current).not.to.have.property("deprecationMessage");
  });
});
