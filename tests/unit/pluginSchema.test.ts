import { z } from "zod";
import { Types } from "../../tools/generate/schema/types";

const schema = require("../../plugin/schema.json") as {
  resources: Record<string, { description: string }>;
  types: object;
};
const { resources } = schema;

describe("The native provider's schema", () => {
  for (const [token, { description }] of Object.entries(resources)) {
    const type = token.split(":").at(-1);
    it(`has an example of ${type} for every language that can say it`, () => {
      const [, examples = ""] = /\{\{% examples %\}\}([\s\S]*)\{\{% \/examples %\}\}/.exec(description) ?? [];
      const languages = [...examples.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
      // The keys of a map cannot be references in YAML.
      const yaml = type === "WeightedBackend" ? [] : ["yaml"];
      expect(languages).to.deep.equal(["typescript", ...yaml, "python", "go", "csharp", "hcl", "java"]);
    });
  }

  it("describes every type, property and function, and has no type that nothing uses", () => {
    const [said, used] = [new Set<string>(), new Set<string>()];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [name, inner] of Object.entries(value)) {
        if (name === "description" && inner === "") said.add(path);
        if (name === "$ref") used.add(String(inner));
        look(inner, `${path}/${name}`);
      }
    };
    look(schema, "");
    expect([...said], "without a description").to.deep.equal([]);
    expect(Object.keys(schema.types).filter((token) => !used.has(`#/types/${token}`))).to.deep.equal([]);
  });

  it("offers for each place only the actions that are accepted there", () => {
    const actions = (token: string) =>
      JSON.stringify((schema.types as Record<string, unknown>)[`tunnelplane:index:${token}`]);
    expect(actions("HttpsEdgeRoutePoliciesModuleInboundActionsType")).to.contain("custom-response");
    expect(actions("TlsEdgePoliciesModuleInboundActionsType"))
      .to.contain("deny")
      .and.not.to.contain("custom-response");
  });

  it("marks a deprecated field, as the contract does", () => {
    const { old, current } = new Types().properties("Thing", {
      old: z.string().optional().meta({ deprecated: true, description: "Use `current`." }),
      current: z.string().optional(),
    });
    expect(old?.deprecationMessage).to.equal("Use `current`.");
    expect(current).not.to.have.property("deprecationMessage");
  });
});
