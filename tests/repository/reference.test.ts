import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CatalogueFile, check } from "@tunnelplane/sdk/catalogue";
import { EVENT_TYPES, marksOf, registry, shapeOf, withArticle } from "@tunnelplane/sdk/contract";
import { parse } from "yaml";
import type { z } from "zod";
import { newFolder } from "../support/folder";

const ROOT = join(__dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const page = (kind: string): string => read(`docs/reference/${kind}.md`);

describe("The reference", () => {
  const folder = newFolder();

  it("has a page for each resource type, and no other but those of events and of all", () => {
    const pages = readdirSync(join(ROOT, "docs/reference")).sort();
    expect(pages).to.deep.equal(
      ["README.md", "events.md", ...registry.map(({ kind }) => `${kind}.md`)].sort(),
    );
  });

  for (const { kind, title, fields, example } of registry) {
    it(`of ${withArticle(title)} has every field, nested ones too, and an example for programs, catalogues and curl`, () => {
      const text = page(kind);
      for (const path of pathsIn(fields)) expect(text).to.contain(`| \`${path}\` |`);
      expect(text)
        .to.contain(`\`\`\`ts\n${example}\n\`\`\``)
        .and.to.contain('```sh\ncurl "$TUNNELPLANE_BASE_URL/')
        .and.to.contain("## Import");
    });

    it(`of ${withArticle(title)} has a catalogue that is right as it stands there`, () => {
      const [, catalogue = ""] = /```yaml\n([\s\S]*?)```/.exec(page(kind)) ?? [];
      const document = new CatalogueFile("tunnels.yaml", catalogue, {});
      const { entries } = check(document);
      expect(document.mistakes.map(({ message }) => message)).to.deep.equal([]);
      expect(entries.map(({ definition }) => definition.kind)).to.include(kind);
    });
  }

  it("has programs in YAML whose types and properties the native provider knows, and whose references lead somewhere", () => {
    const { resources: known } = JSON.parse(read("plugin/schema.json")) as {
      resources: Record<string, { inputProperties: object }>;
    };
    const programs = registry.flatMap(
      ({ kind }) => /```yaml\n(resources:[\s\S]*?)```/.exec(page(kind))?.[1] ?? [],
    );
    expect(programs).to.have.lengthOf(registry.length - 1); // the keys of a map cannot be references in YAML
    for (const program of programs) {
      const { resources } = parse(program) as {
        resources: Record<string, { type: string; properties: object }>;
      };
      for (const { type, properties } of Object.values(resources)) {
        expect(known[type.replace(":", ":index:")]?.inputProperties, type).to.include.keys(
          ...Object.keys(properties),
        );
        for (const [, name = ""] of JSON.stringify(properties).matchAll(/\$\{([\w-]+)\.id\}/g))
          expect(resources).to.have.property(name);
      }
    }
  });

  const program = (kind: string, language: string): string =>
    new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "m").exec(page(kind))?.[1] ?? "no program";

  /** The programs of all pages in a language, each in a file of its own. */
  const inFiles = (language: string): string[] =>
    registry.map(({ kind }) => {
      const file = join(folder, `${kind}.${language}`);
      writeFileSync(file, program(kind, language));
      return file;
    });

  it("has programs in Python that Python can read", () => {
    const read = "import ast, sys; [ast.parse(open(name).read(), name) for name in sys.argv[1:]]";
    const { status, stderr } = spawnSync("python3", ["-c", read, ...inFiles("python")], { encoding: "utf8" });
    expect(status, stderr).to.equal(0);
  });

  /** How a program makes an object, with its type and its name. */
  const MAKES = {
    ...{ python: /tunnelplane\.(\w+)\(\s*("[\w-]+")/g, go: /tunnelplane\.New(\w+)\(ctx, ("[\w-]+")/g },
    ...{ csharp: /new Tunnelplane\.(\w+)\(("[\w-]+")/g, java: /new (\w+)\(("[\w-]+")/g },
    hcl: /resource "tunnelplane_(\w+)" ("[\w-]+")/g,
  };

  it("has programs in Python, Go, C#, HCL and Java that make the same objects", () => {
    for (const { kind } of registry) {
      const [first = [], ...others] = Object.entries(MAKES).map(([language, makes]) =>
        [...program(kind, language).matchAll(makes)].map(
          ([, type = "", name]) => `${type.replaceAll("_", "").toLowerCase()} ${name}`,
        ),
      );
      expect(first).not.to.have.lengthOf(0);
      for (const other of others) expect(other, kind).to.deep.equal(first);
    }
  });

  it("has a payload for each type of event", () => {
    expect(EVENT_TYPES).not.to.have.lengthOf(0);
    for (const type of EVENT_TYPES)
      expect(page("events")).to.match(
        new RegExp(`^## ${type}\\n\\n.*\\n\\n<details>\\n.*\\n\\n\`\`\`json\\n{`, "m"),
      );
  });

  it("says of actions and of expressions the same as hover texts, the OpenAPI document and the schema of catalogues", () => {
    const { EndpointHTTPActionMutate: action } = { EndpointHTTPActionMutate: variantsOf() };
    const places = {
      reference: page("https_edge_route"),
      hover: read("provider/src/generated/httpsEdgeRoute.ts"),
      schema: JSON.parse(JSON.stringify(read("provider/tunnels.schema.json"))) as string,
    };
    for (const shape of Object.values(action)) {
      for (const [name, setting] of Object.entries(shape.shape as Record<string, z.ZodType>)) {
        const said = setting.meta()?.description ?? "";
        expect(said, name).not.to.equal("");
        expect(places.reference).to.contain(said);
        expect(places.hover).to.contain(said);
        expect(places.schema).to.contain(JSON.stringify(said).slice(1, -1));
      }
    }
    const served = "`req.method`, `req.host`";
    for (const text of Object.values(places)) expect(text).to.contain(served);
  });
});

/** The settings of every action, as the contract has them. */
function variantsOf(): Readonly<Record<string, z.ZodObject>> {
  const route = registry.find(({ kind }) => kind === "https_edge_route");
  const policies = shapeOf(route?.fields.policies as z.ZodType)?.inbound as unknown as {
    unwrap(): z.ZodArray;
  };
  const actions = shapeOf(policies.unwrap().element as z.ZodType)?.actions as z.ZodArray;
  return marksOf(actions.element as z.ZodType).variants?.shapes ?? {};
}

function pathsIn(fields: Readonly<Record<string, z.ZodType>>, within = ""): string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    `${within}${name}`,
    ...pathsIn(shapeOf(field) ?? {}, `${within}${name}.`),
  ]);
}
