import { z } from "zod";
import { bare, camelCase, camelCaseMessage, type Definition, docOf, marksOf } from "../../sdk/src/contract";

/** The file of a resource type: `tlsEdge` for `TlsEdge`. */
export const fileOf = ({ type }: Definition): string => type[0]?.toLowerCase() + type.slice(1);

/** A path as TypeScript: a template literal if the path names a parent. */
export const pathLiteral = (path: string): string =>
  path.includes("{")
    ? `\`${path.replace(/\{(\w+)\}/g, (_, name: string) => `\${encodeURIComponent(${camelCase(name)})}`)}\``
    : JSON.stringify(path);

/** The camelCase paths of secrets in an object schema: `oidc.clientSecret`. */
export function secretPlaces(fields: Readonly<Record<string, z.ZodType>>): string[] {
  return Object.entries(fields).flatMap(([name, schema]) => {
    if (marksOf(schema).secret) return [camelCase(name)];
    const inner = bare(schema);
    return inner instanceof z.ZodObject
      ? secretPlaces(inner.shape as Record<string, z.ZodType>).map((place) => `${camelCase(name)}.${place}`)
      : [];
  });
}

export const HEADER =
  "// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.\n";

/** A JSDoc comment, indented. */
export function jsdoc(text: string, indent = ""): string {
  const lines = text.trim().split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line ? ` ${line}` : ""}\n`).join("")}${indent} */\n`;
}

/** The description of a field as programs have it: settings of an action are spelled in camelCase there. */
export const docInPrograms = (schema: z.ZodType): string =>
  marksOf(schema).userKeys ? camelCaseMessage(docOf(schema)) : docOf(schema);

/** How a class knows its resources, by the type tokens of both providers. */
export const isInstance = (type: string): string =>
  `${jsdoc(`Whether something is such a resource, of this package or of the native provider. Policies ask by type: \`validateResourceOfType(tunnels.${type}, …)\`.`, "  ")}  static override isInstance(resource: unknown): resource is ${type} {
    return isOfType(resource, "${type}");
  }
`;
