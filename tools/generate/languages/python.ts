import { brackets, finished, quoted } from "./layout";
import { type Declaration, keysIn, referenceIn, snakeCase, type Value } from "./model";

const STEP = "    ";
const variable = (name: string): string => snakeCase(name).replaceAll("-", "_");
const id = (name: string): string => `${variable(name)}.id`;

/** A program in Python; needs the package `pulumi_tunnelplane`. */
export function python(declarations: readonly Declaration[]): string {
  const statements = declarations.map(({ name, type, fields, isUsed }) => {
    const args = [
      JSON.stringify(name),
      ...fields.map(([field, value]) => `${snakeCase(field)}=${print(value)}`),
    ];
    return `${isUsed ? `${variable(name)} = ` : ""}${brackets(`tunnelplane.${type}(`, args, ")", STEP)}\n`;
  });
  const code = statements.join("");
  return finished(
    `${code.includes("=pulumi.") ? "import pulumi\n" : ""}import pulumi_tunnelplane as tunnelplane\n\n${code}`,
  );
}

function print(value: Value): string {
  switch (value.is) {
    case "text":
      return quoted(value.text, '"""', '"""');
    case "reference":
      return id(value.to);
    case "list":
      return brackets("[", value.items.map(print), "]", STEP);
    case "map":
      return printMap(value);
    case "object":
      return dictionary(value.fields.map(([name, field]) => [snakeCase(name), print(field)]));
    default:
      return literal(value.value);
  }
}

function printMap(value: Value & { is: "map" }): string {
  const keys = keysIn(value);
  if (keys.length === 0) return dictionary(value.entries.map(([key, item]) => [key, print(item)]));
  const entries = value.entries.map(
    ([key, item]) => `ids[${keys.indexOf(referenceIn(key) ?? "")}]: ${print(item)}`,
  );
  return `pulumi.Output.all(${keys.map(id).join(", ")}).apply(lambda ids: {${entries.join(", ")}})`;
}

function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return brackets("[", value.map(literal), "]", STEP);
  if (typeof value !== "object") return JSON.stringify(value);
  return dictionary(Object.entries(value).map(([key, item]) => [key, literal(item)]));
}

const dictionary = (entries: readonly (readonly [string, string])[]): string =>
  brackets(
    "{",
    entries.map(([key, value]) => `${JSON.stringify(key)}: ${value}`),
    "}",
    STEP,
  );
