import { outputsOf, type Properties } from "@tunnelplane/pulumi/core";
import { Collection, type Transport } from "@tunnelplane/sdk";
import {
  asDeclared,
  createSchema,
  type Definition,
  expandPath,
  formatPath,
  lookupOf,
  messageOfIssue,
  pathFieldsOf,
  present,
  toSent,
} from "@tunnelplane/sdk/contract";

type Wire = Record<string, unknown>;

/** The mistake in the arguments of a function that finds an object; undefined if there is none. */
export function mistakeIn(definition: Definition, args: Properties): string | undefined {
  const lookup = lookupOf(definition);
  const names = ["id", ...lookup.map(({ argument }) => argument)];
  const ways = lookup.length > 0 ? `\`id\` or ${names.slice(1).map(quoted).join(" and ")}` : "`id`";
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined) return `${formatPath([unknown])} is not an argument here; accepted: ${ways}`;
  const given = names.filter((name) => args[name] != null && args[name] !== "");
  if (given.includes("id")) {
    if (typeof args.id !== "string") return "id must be a string";
    return given.length === 1 ? undefined : `${given.at(-1)} must be left out, because \`id\` is given`;
  }
  if (given.length === 0) return `names no ${definition.title}; give ${ways}`;
  for (const { argument, schema } of lookup) {
    if (!given.includes(argument)) return `${argument} is required where \`id\` is not given`;
    const [issue] = schema.safeParse(args[argument]).error?.issues ?? [];
    if (issue) return `${argument} ${messageOfIssue(issue, args[argument])}`;
  }
  return undefined;
}

const quoted = (name: string): string => `\`${name}\``;

/** The outputs of the object with these unique values; reads the list of objects until it is found. */
export async function byUniqueKey(
  transport: Transport,
  definition: Definition,
  args: Properties,
): Promise<Properties | undefined> {
  const asked = Object.fromEntries(
    lookupOf(definition).map(({ argument, field, isEntry }) => [
      field,
      isEntry ? [args[argument]] : args[argument],
    ]),
  );
  const keysOf = (sent: Wire) =>
    definition.unique(sent).map(({ scope, key }) => JSON.stringify([scope, key]));
  const wanted = present(keysOf(asked)[0]);
  const objects = new Collection<Wire, never, never>(
    transport,
    expandPath(definition.path, asked),
    definition.listKey,
  );
  for await (const answer of objects.list()) {
    if (!keysOf(toSent(createSchema(definition), answer)).includes(wanted)) continue;
    const id = [...pathFieldsOf(definition), "id"].map((name) => answer[name]).join("/");
    return { ...outputsOf(asDeclared(definition), answer, undefined), id };
  }
  return undefined;
}
