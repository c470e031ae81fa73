import { camelCase, type Definition, modulesOf } from "@tunnelplane/sdk/contract";

export const pascalCase = (name: string): string => camelCase(`_${name}`);

/** The file of a resource type: `tlsEdge` for `TlsEdge`. */
export const fileOf = ({ type }: Definition): string => type[0]?.toLowerCase() + type.slice(1);

/** A module of a definition, with the name of the type that stands for it. */
export const modulesWithTypes = (definition: Definition): { name: string; type: string }[] =>
  modulesOf(definition).map((name) => ({ name, type: definition.type + pascalCase(name) }));

export const HEADER = "// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.\n";

/** A JSDoc comment, indented. */
export function jsdoc(text: string, indent = ""): string {
  const lines = text.trim().split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line ? ` ${line}` : ""}\n`).join("")}${indent} */\n`;
}
