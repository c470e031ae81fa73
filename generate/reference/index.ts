import type { Definition } from "../../sdk/src/contract";
import { packageTypes } from "../schema";
import { eventsPage } from "./events";
import { resourcePage } from "./page";

/** The reference: a page for each resource type, one for the types of events, and one that leads to them. */
export function referencePages(registry: readonly Definition[]): [string, string][] {
  const types = packageTypes(registry);
  return [
    ["docs/reference/README.md", indexPage(registry)],
    ["docs/reference/events.md", eventsPage()],
    ...registry.map((definition): [string, string] => [`docs/reference/${definition.kind}.md`, resourcePage(definition, types)]),
  ];
}

function indexPage(registry: readonly Definition[]): string {
  const rows = registry.map(({ title, kind, doc, type }) => `| [${title}](${kind}.md) | \`${type}\` | ${doc.split(/(?<=[.]) /)[0]} |\n`);
  return `# Reference

Every field of every resource type, with its values, default and limit, examples for programs, catalogues and the API,
errors and import. These pages follow from the contract (\`npm run generate\`). Every server shows its API at \`/docs\`.

| Resource | Pulumi class | What it is |
|---|---|---|
${rows.join("")}
[Event types](events.md), each with a payload · [Errors](../errors.md)
`;
}
