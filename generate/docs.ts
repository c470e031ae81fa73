import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import {
  accessDoc,
  asDeclared,
  bare,
  camelCase,
  type Definition,
  docOf,
  isOptional,
  marksOf,
  modulesWithTypes,
  pathFieldsOf,
} from "../sdk/src/contract";
import { commandsPage, errorsPage, settingsPage } from "./pages";

/** The reference pages, and the README with its tables of resources and settings. */
export function docsPages(registry: readonly Definition[], root: string): [string, string][] {
  return [
    ["docs/resources.md", resourcesPage(registry)],
    ["docs/errors.md", errorsPage()],
    ["docs/settings.md", settingsPage()],
    ["docs/commands.md", commandsPage()],
    ["docs/types.md", typesPage(registry, programsIn(join(root, "examples")))],
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
    .map((name) => ({ name, file: join(examples, name, "program.ts") }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => ({ name, text: readFileSync(file, "utf8") }));

/** Every resource type, with its endpoints, classes and examples. */
const typesPage = (registry: readonly Definition[], programs: readonly Program[]): string => `# Resource types

The resource types that programs, catalogues and requests can declare. This page is generated (\`npm run generate\`).

${resourcesTable(registry, programs)}`;

function resourcesTable(registry: readonly Definition[], programs: readonly Program[]): string {
  const rows = registry.map((definition) => {
    const modules = modulesWithTypes(definition);
    const classes = [definition.type, ...modules.map((module) => module.type)].map((type) => `\`${type}\``).join(" ");
    const endpoints = [definition.path, ...modules.map((module) => `…/{id}/${module.name}`)].map((path) => `\`${path}\``).join(" ");
    const section = `resources.md#${anchor(definition.title)}`;
    const examples = [
      `[short](${section})`,
      ...programs
        .filter(({ text }) => text.includes(`new tunnels.${definition.type}(`))
        .map(({ name }) => `[${name}](../examples/${name})`),
    ];
    return `| [${definition.title}](${section}) | ${endpoints} | ${classes} | ${examples.join(" ")} |\n`;
  });
  return `| Resource | Endpoints | Pulumi classes | Examples |\n|---|---|---|---|\n${rows.join("")}`;
}

const anchor = (title: string): string => title.toLowerCase().replaceAll(" ", "-");

function resourcesPage(registry: readonly Definition[]): string {
  const sections = registry.map((definition) => {
    const fields = Object.entries(asDeclared(definition).fields).map(([name, schema]) => fieldRow(name, schema));
    const computed = Object.entries(definition.computed).map(
      ([name, schema]) => `| \`${name}\` | \`${camelCase(name)}\` | answered | ${cell(docOf(schema))} |\n`,
    );
    const modules = modulesWithTypes(definition).map(({ name, type }) => {
      const schema = definition.fields[name] as z.ZodType;
      const inner = (bare(schema) as z.ZodObject).shape as Record<string, z.ZodType>;
      const rows = Object.entries(inner).map(([field, value]) => fieldRow(field, value));
      return `### \`${name}\`: ${docOf(schema)}\n\n\`PUT\`, \`GET\`, \`DELETE\` \`${definition.path}/{id}/${name}\`; as a resource of its own: \`${type}\`, with ${[...pathFieldsOf(definition), definition.idField].map((id) => `\`${camelCase(id)}\``).join(" and ")}.\n\n${TABLE}${rows.join("")}\n`;
    });
    return `## ${definition.title[0]?.toUpperCase()}${definition.title.slice(1)}

${definition.doc}${accessDoc(definition)}

\`POST\`, \`GET\` \`${definition.path}\` · \`GET\`, \`PATCH\`, \`DELETE\` \`${definition.path}/{id}\` · ids begin with \`${definition.idPrefix}_\` · list key \`${definition.listKey}\`

${TABLE}${fields.join("")}${computed.join("")}
\`\`\`ts
${definition.example}
\`\`\`

${modules.join("")}`;
  });
  return `# Resources

Every object also answers \`id\`, \`uri\` and \`created_at\`. In programs, \`import * as tunnels from "@tunnelplane/pulumi"\`.
This page follows from the contract (\`npm run generate\`).

${sections.join("")}`
    .trimEnd()
    .concat("\n");
}

const TABLE = "| API | Pulumi | Sent | Meaning |\n|---|---|---|---|\n";

function fieldRow(name: string, schema: z.ZodType): string {
  const marks = marksOf(schema);
  const sent = [isOptional(schema) ? "optional" : "required", marks.immutable ? "a change replaces" : ""].filter(Boolean).join(", ");
  return `| ${marks.programOnly ? "–" : `\`${name}\``} | \`${camelCase(name)}\` | ${sent} | ${cell(docOf(schema))} |\n`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
