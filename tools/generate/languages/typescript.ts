import { brackets, finished, quoted } from "./layout";
import { type Declaration, keysIn, referenceIn, type Value, variable } from "./model";

const STEP = "  ";
const id = (name: string): string => `${variable(name)}.id`;

/** A program in TypeScript, for a package that is imported as `tunnels`. */
export function typescript(declarations: readonly Declaration[], packageName: string): string {
  const statements = declarations.map(({ name, type, fields, isUsed }) => {
    const made = `new tunnels.${type}(${JSON.stringify(name)}, ${braces(fields)});`;
    return `${isUsed ? `const ${variable(name)} = ` : ""}${made}\n`;
  });
  const code = statements.join("");
  const pulumi = code.includes("pulumi.") ? 'import * as pulumi from "@pulumi/pulumi";\n' : "";
  return finished(`${pulumi}import * as tunnels from "${packageName}";\n\n${code}`);
}

function print(value: Value): string {
  switch (value.is) {
    case "text":
      return quoted(value.text, "`", "`");
    case "reference":
      return id(value.to);
    case "list":
      return `[${value.items.map(print).join(", ")}]`;
    case "map":
      return printMap(value);
    case "object":
      return braces(value.fields);
    default:
      return JSON.stringify(value.value);
  }
}

function printMap(value: Value & { is: "map" }): string {
  const keys = keysIn(value);
  if (keys.length === 0) return braces(value.entries.map(([key, item]) => [JSON.stringify(key), item]));
  const entries = value.entries.map(
    ([key, item]) => `[ids[${keys.indexOf(referenceIn(key) ?? "")}]]: ${print(item)}`,
  );
  return `pulumi.all([${keys.map(id).join(", ")}]).apply((ids) => ({ ${entries.join(", ")} }))`;
}

const braces = (fields: readonly (readonly [string, Value])[]): string =>
  brackets(
    "{",
    fields.map(([name, value]) => `${name}: ${print(value)}`),
    "}",
    STEP,
  );
