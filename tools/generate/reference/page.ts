import type { z } from "zod";
import {
  accessDoc,
  answeredListsOf,
  answerSchema,
  asDeclared,
  camelCase,
  collectionOf,
  type Definition,
  docOf,
  ERRORS,
  type ErrorName,
  eitherId,
  elementOf,
  fieldsWhere,
  formatPath,
  marksOf,
  modulesOf,
  modulesWithTypes,
  pathFieldsOf,
  plural,
  registry,
  sampleAnswer,
  sampleFields,
  shapeOf,
  targetsOf,
  withArticle,
} from "../../../sdk/src/contract";
import { inEveryLanguage, type PackageTypes } from "../languages";
import { catalogueExample, curlExample, exampleName, pulumiProgram } from "./examples";
import { answerTable, cell, fieldTables, fold } from "./fields";

/** Everything there is to know of a resource type. */
export function resourcePage(definition: Definition, types: PackageTypes): string {
  const { title, doc, kind, type, idPrefix, listKey, example } = definition;
  const name = exampleName(definition);
  const sections = [
    `# ${title[0]?.toUpperCase()}${title.slice(1)}

${doc}${accessDoc(definition)}

| | |
|---|---|
| Pulumi class | \`${type}\` |
| Catalogue | \`${collectionOf(definition)}\` |
| Kind | \`${kind}\` |
| Ids begin with | \`${idPrefix}_\` |
| List key | \`${listKey}\` |
| Events | ${["created", "updated", "deleted"].map((change) => `[\`${definition.subject}_${change}.v0\`](events.md#${definition.subject}_${change}v0)`).join(", ")} |

${operations(definition).trimEnd()}`,
    `## Fields

The API spells them as here, programs and catalogues in camelCase: \`${firstCompound(definition)}\` is \`${camelCase(firstCompound(definition))}\`.

${fieldTables(asDeclared(definition).fields).trimEnd()}`,
    `## Answered besides

${answerTable(answeredBesides(definition)).trimEnd()}`,
    modules(definition),
    `## Examples

TypeScript, with \`import * as tunnels from "@tunnelplane/pulumi"\`:

\`\`\`ts
${example}
\`\`\`

A catalogue:

\`\`\`yaml
${catalogueExample(definition, name)}\`\`\`

${otherLanguages(definition, types)}The API:

\`\`\`sh
${curlExample(definition)}\`\`\`

Its answer (201):

\`\`\`json
${JSON.stringify(sampleAnswer(definition, { created: true }), null, 2)}
\`\`\``,
    errors(definition),
    imports(definition, name),
  ];
  return `${sections.filter(Boolean).join("\n\n").trimEnd()}\n`;
}

const firstCompound = ({ fields, computed }: Definition): string =>
  Object.keys({ ...fields, ...computed }).find((name) => name.includes("_")) ?? "created_at";

function otherLanguages(definition: Definition, types: PackageTypes): string {
  const programs = Object.entries(inEveryLanguage(pulumiProgram(definition), types));
  const blocks = programs.map(([language, { title, code }]) =>
    fold(title, `\`\`\`${language}\n${code}\`\`\``),
  );
  return `The other languages of Pulumi, with the [native provider](../native.md):\n\n${blocks.join("\n")}\n`;
}

function operations(definition: Definition): string {
  const { path, title } = definition;
  const rows = [
    ["POST", path, `creates ${withArticle(title)}`, "create"],
    ["GET", path, `lists ${plural(title)}, newest first`, "list"],
    ["GET", `${path}/{id}`, "reads one", "get"],
    ["PATCH", `${path}/{id}`, "changes the fields that are sent", "update"],
    ["DELETE", `${path}/{id}`, "deletes it", "delete"],
    ...fieldsWhere(definition, (marks) => marks.entries).map((list) => [
      "POST, GET",
      `${path}/{id}/${list}`,
      `adds one of its ${list}, lists them`,
      `${list}.add`,
    ]),
  ];
  const below = pathFieldsOf(definition).length > 0 ? "(…)" : "";
  return `| Request | What it does | Client |\n|---|---|---|\n${rows
    .map(
      ([method, at, does, member]) =>
        `| \`${method} ${at}\` | ${does} | \`api.${collectionOf(definition)}${below}.${member}\` |\n`,
    )
    .join("")}`;
}

/**
 * Fields of answers that nobody sends: identity, references in the place of ids, addresses of entries, and
 * what is computed.
 */
function answeredBesides(definition: Definition): Record<string, z.ZodType> {
  const sent = Object.keys(definition.fields);
  const addresses = answeredListsOf(definition).flatMap(({ field, schema, key }): [string, z.ZodType][] => {
    const uri = key && shapeOf(elementOf(schema) ?? schema)?.uri;
    return uri ? [[`${field}[].uri`, uri]] : [];
  });
  const answered = Object.entries(shapeOf(answerSchema(definition)) ?? {}).filter(
    ([name]) => !sent.includes(name),
  );
  return Object.fromEntries([...answered, ...addresses]);
}

function modules(definition: Definition): string {
  const all = modulesWithTypes(definition);
  if (all.length === 0) return "";
  const ids = [...pathFieldsOf(definition), definition.idField]
    .map((id) => `\`${camelCase(id)}\``)
    .join(" and ");
  const rows = all.map(({ name, type }) => {
    const schema = definition.fields[name] as z.ZodType;
    return `| \`${name}\` | ${cell(docOf(schema))} | \`PUT\`, \`GET\`, \`DELETE\` \`${definition.path}/{id}/${name}\` | \`${type}\` |\n`;
  });
  return `## Modules

A module is replaced as a whole, and removed with \`DELETE\` only: an update that leaves it out leaves it as it is. As a
resource of its own it takes the fields above and ${ids}.${eitherId(definition)}

| Module | What it does | Requests | Pulumi class of its own |
|---|---|---|---|
${rows.join("")}`.trimEnd();
}

function errors(definition: Definition): string {
  const rows = errorsOf(definition).map((name) => {
    const { code, status, when } = ERRORS[name];
    const special =
      name === "taken"
        ? definition
            .unique(sampleFields(definition))
            .map(({ path, taken }) => `\`${formatPath(path)}\` ${taken}`)
            .join("; ")
        : "";
    return `| [\`${code}\`](../errors.md) | ${status} | ${cell([when, special].filter(Boolean).join(": "))} |\n`;
  });
  return `## Errors

Besides what every request may get (no or an unknown key, too many requests, a server that stops):

| Code | Status | When |
|---|---|---|
${rows.join("")}`.trimEnd();
}

/** The errors of requests about one type, beyond those of every request. */
function errorsOf(definition: Definition): ErrorName[] {
  const fields = Object.values(definition.fields);
  const isReferredTo = registry.some((other) =>
    Object.values(other.fields).some((field) => keeps(field, definition)),
  );
  const refers = fields.some((field) => registry.some((target) => refersTo(field, target)));
  const own: Partial<Record<ErrorName, boolean>> = {
    malformed_json: true,
    invalid_field: true,
    unknown_field: true,
    immutable_field: fieldsWhere(definition, (marks) => marks.immutable).length > 0,
    missing_target: refers,
    wrong_id_kind: true,
    forbidden:
      ["admin", "adminsWrite", "accountWrites"].includes(definition.access) ||
      "owner_id" in definition.fields,
    not_found: true,
    no_module: modulesOf(definition).length > 0,
    in_use: isReferredTo,
    taken: definition.unique(sampleFields(definition)).length > 0,
    precondition_failed: true,
    idempotency_key_reused: true,
  };
  return (Object.keys(own) as ErrorName[]).filter((name) => own[name]);
}

/** Whether a field, or one inside it, holds ids of objects of a type. */
function refersTo(field: z.ZodType, target: Definition): boolean {
  const { reference } = marksOf(field);
  if (reference) return targetsOf(reference.to).includes(target);
  return Object.values(shapeOf(field) ?? {}).some((inner) => refersTo(inner, target));
}

/** The same, and those ids keep the objects from being deleted. */
const keeps = (field: z.ZodType, target: Definition): boolean =>
  !marksOf(field).reference?.cascade && refersTo(field, target);

function imports(definition: Definition, name: string): string {
  const { type, idPrefix } = definition;
  const [parent] = pathFieldsOf(definition);
  const id = parent ? `<${parent}>/${idPrefix}_…` : `${idPrefix}_…`;
  const secret = fieldsWhere(definition, (marks) => marks.once);
  return `## Import

Declare the object as it is, with its id${parent ? ` behind that of what it belongs to` : ""}; the preview names each place that differs
([adopting](../adopt.md)):

\`\`\`ts
const ${camelCase(name.replaceAll("-", "_"))} = new tunnels.${type}("${name}", { /* as it is */ }, { import: "${id}" });
\`\`\`

With the [native provider](../native.md): \`pulumi import tunnelplane:index:${type} ${name} '${id}' --generate-code=false\`.
${secret.length > 0 ? `\n\`${secret.join("`, `")}\` is shown once, to its creator, so an imported one has none in the state.\n` : ""}`;
}
