import { present } from "@tunnelplane/sdk/contract";
import { visible } from "@tunnelplane/sdk/node";
import type { Properties } from "../core/values";
import { type Declared, Reference, Secret } from "./program";

/** The program as TypeScript, each resource after those that it refers to. */
export function asTypeScript(resources: readonly Declared[], from: string): string {
  const variables = variablesOf(resources);
  const bodies = resources.map(({ definition, name, args }) => {
    const written = literal(args, variables, 0);
    const created = `new tunnels.${definition.type}(${[JSON.stringify(name), ...(written === "{}" ? [] : [written])].join(", ")});`;
    const variable = variables.get(name);
    return variable === undefined ? created : `const ${variable} = ${created}`;
  });
  // Marks that turn the direction of text would show a program as another one than it is.
  const text = visible(bodies.join("\n\n"));
  const needsConfig = text.includes("config.requireSecret(");
  return [
    `// The objects of ${from}, written by \`tunnelplane-pulumi adopt\`. Change this file as you like.`,
    ...(needsConfig || text.includes("pulumi.all(") ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
    'import * as tunnels from "@tunnelplane/pulumi";',
    "",
    ...(needsConfig ? ["const config = new pulumi.Config();", ""] : []),
    text,
    "",
  ].join("\n");
}

/** A variable for each resource that others refer to. */
function variablesOf(resources: readonly Declared[]): ReadonlyMap<string, string> {
  const used = new Set(resources.flatMap(({ args }) => referencedIn(args)));
  const taken = new Set<string>(RESERVED);
  const variables = new Map<string, string>();
  for (const { name, definition } of resources.filter((resource) => used.has(resource.name))) {
    const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean);
    const joined = words
      .map((word, index) => (index === 0 ? word : present(word[0]).toUpperCase() + word.slice(1)))
      .join("");
    const own = /^\d/.test(joined) ? `_${joined}` : joined;
    let variable = taken.has(own) ? own + definition.type : own;
    for (let count = 2; taken.has(variable); count++) variable = `${own}${definition.type}${count}`;
    taken.add(variable);
    variables.set(name, variable);
  }
  return variables;
}

function referencedIn(value: unknown): string[] {
  if (value instanceof Reference) return [value.name];
  if (value instanceof Map) return [...value.keys(), ...value.values()].flatMap(referencedIn);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(referencedIn) : [];
}

const WIDTH = 100;

function literal(value: unknown, variables: ReadonlyMap<string, string>, depth: number): string {
  const write = (item: unknown) => literal(item, variables, depth + 1);
  const idOf = ({ name }: Reference) => `${variables.get(name)}.id`;
  if (value instanceof Reference) return idOf(value);
  if (value instanceof Secret) return `config.requireSecret(${JSON.stringify(value.key)})`;
  if (value instanceof Map) {
    const entries: [Reference | string, unknown][] = [...value];
    const references = entries.map(([key]) => key).filter((key) => key instanceof Reference);
    const variables = new Map<Reference | string, string>(
      references.map((key, index) => [key, `id${index}`]),
    );
    const written = entries.map(
      ([key, item]) =>
        `${variables.has(key) ? `[${variables.get(key)}]` : JSON.stringify(key)}: ${write(item)}`,
    );
    return `pulumi.all([${references.map(idOf).join(", ")}]).apply(([${[...variables.values()].join(", ")}]) => ({ ${written.join(", ")} }))`;
  }
  if (Array.isArray(value)) return around("[", value.map(write), "]", depth);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return around("{", properties({ ...value }, write), "}", depth);
}

const properties = (value: Properties, write: (item: unknown) => string): string[] =>
  Object.entries(value).map(([name, item]) => `${propertyName(name)}: ${write(item)}`);

const propertyName = (name: string): string => {
  if (name === "__proto__") return '["__proto__"]'; // as a plain name it would set the prototype
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name);
};

function around(open: string, items: readonly string[], close: string, depth: number): string {
  if (items.length === 0) return open + close;
  const space = open === "{" ? " " : "";
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (line.length <= WIDTH && !line.includes("\n") && depth > 0) return line;
  const indent = "  ".repeat(depth + 1);
  return `${open}\n${items.map((item) => `${indent}${item},\n`).join("")}${"  ".repeat(depth)}${close}`;
}

/** Names that a variable may not have, or that mean something else in the program. */
const RESERVED = [
  ..."arguments await break case catch class const continue debugger default delete do else enum eval export extends false".split(
    " ",
  ),
  ..."finally for function if implements import in instanceof interface let new null package private protected public".split(
    " ",
  ),
  ..."return static super switch this throw true try typeof undefined var void while with yield async of".split(
    " ",
  ),
  ..."config pulumi tunnels require module exports global process NaN Infinity".split(" "),
  ..."__dirname __filename console Object String Number Array".split(" "),
];
