import { readFileSync } from "node:fs";
import { join } from "node:path";
import { collectionOf, registry } from "@tunnelplane/sdk/contract";
import Ajv from "ajv/dist/2020";
import { parse } from "yaml";

const ROOT = join(__dirname, "../..");
/** Editors do not check values with tags. */
const read = (yaml: string): unknown => parse(yaml, { logLevel: "silent" });

describe("The JSON Schema with which editors check catalogues", () => {
  const schema = JSON.parse(readFileSync(require.resolve("@tunnelplane/pulumi/tunnels.schema.json"), "utf8"));
  const validate = new Ajv({
    ...{ allErrors: true, strictTypes: false, formats: { "date-time": true } },
    keywords: ["x-max-bytes", "x-max-characters"],
  }).compile(schema);
  const mistakesIn = (yaml: string): string[] => {
    validate(read(yaml));
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  it("accepts the example, and a file with nothing in it yet", () => {
    expect(mistakesIn(readFileSync(join(ROOT, "examples/catalogue/tunnels.yaml"), "utf8"))).to.deep.equal([]);
    expect(mistakesIn("# nothing yet\n")).to.deep.equal([]);
    expect(mistakesIn("ipPolicies:\n  office:\n")).to.deep.equal([]);
  });

  it("refuses collections and fields that do not exist, wrong types and what is missing", () => {
    const yaml = `
tlsEdge: {}
tlsEdges:
  app:
    hostport: [app.example.com:443]
    tlsTermination: { minVersion: "1.4", enabled: "no" }
    policies: { inbound: [{ actions: [] }] }
ipPolicies:
  two words: { description: ${"x".repeat(256)} }
ipPolicyRules:
  berlin: { action: allow, cidr: 192.0.2.0/24, ip_policy_id: office }
tunnelGroupBackends:
  web:
`;
    expect(mistakesIn(yaml)).to.include.members([
      " must NOT have additional properties",
      "/tlsEdges/app must NOT have additional properties",
      "/tlsEdges/app/tlsTermination/minVersion must be equal to one of the allowed values",
      "/tlsEdges/app/tlsTermination/enabled must be boolean",
      "/tlsEdges/app/policies/inbound/0/actions must NOT have fewer than 1 items",
      "/ipPolicies/two words/description must NOT have more than 255 characters",
      '/ipPolicies must match pattern "^[A-Za-z0-9][A-Za-z0-9._-]*$"',
      "/ipPolicyRules/berlin must have required property 'ipPolicyId'",
      "/ipPolicyRules/berlin must NOT have additional properties",
      "/tunnelGroupBackends/web must be object",
    ]);
  });

  it("describes every collection and every field", () => {
    expect(Object.keys(schema.properties)).to.deep.equal(["project", ...registry.map(collectionOf)]);
    const without: string[] = [];
    const visit = (at: { properties?: object; items?: object; description?: string }, path: string): void => {
      if (at.items) visit(at.items, `${path}[]`);
      for (const [name, field] of Object.entries(at.properties ?? {})) {
        if (!field.description) without.push(`${path}.${name}`);
        visit(field, `${path}.${name}`);
      }
    };
    visit(schema, "");
    for (const [type, args] of Object.entries(schema.$defs)) visit(args as object, type);
    expect(without).to.deep.equal([]);
  });
});
