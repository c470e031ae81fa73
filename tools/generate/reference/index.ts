import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Definition, modulesWithTypes } from "../../../sdk/src/contract";
import { packageTypes } from "../schema";
import { eventsPage } from "./events";
import { resourcePage } from "./page";

/**
 * The reference: a page for each resource type, one for the types of events, and one that leads to them.
 * @param root the folder of the repository, whose examples are named
 */
export function referencePages(registry: readonly Definition[], root: string): [string, string][] {
  const types = packageTypes(registry);
  return [
    ["docs/reference/README.md", indexPage(registry, programsIn(join(root, "examples")))],
    ["docs/reference/events.md", eventsPage()],
    ...registry.map((definition): [string, string] => [
      `docs/reference/${definition.kind}.md`,
      resourcePage(definition, types),
    ]),
  ];
}

interface Program {
  readonly name: string;
  readonly text: string;
}

/** The example programs, by their folders. */
const programsIn = (examples: string): Program[] =>
  readdirSync(examples)
    .sort()
    .filter((name) => existsSync(join(examples, name, "Pulumi.yaml")))
    .map((name) => ({
      name,
      text: readdirSync(join(examples, name))
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(join(examples, name, file), "utf8"))
        .join("\n"),
    }));

function indexPage(registry: readonly Definition[], programs: readonly Program[]): string {
  const rows = registry.map((definition) => {
    const { title, kind, doc, type, path } = definition;
    const classes = [type, ...modulesWithTypes(definition).map((module) => module.type)]
      .map((name) => `\`${name}\``)
      .join(" ");
    const examples = programs
      .filter(({ text }) => text.includes(`new tunnels.${type}(`))
      .map(({ name }) => `[${name}](../../examples/${name})`);
    return `| [${title}](${kind}.md) | ${doc.split(/(?<=[.]) /)[0]} | \`${path}\` | ${classes} | ${examples.join(" ") || "–"} |\n`;
  });
  return `# Reference

Everything that programs, catalogues and requests can declare. The page of a type has every field with its values,
default and limit, an example in each language, errors and import. These pages follow from the contract
(\`npm run generate\`). Every server shows its API at \`/docs\`.

| Resource type | What it is | Path | Pulumi classes | In examples |
|---|---|---|---|---|
${rows.join("")}
[Event types](events.md), each with a payload · [Errors](../errors.md)
`;
}
