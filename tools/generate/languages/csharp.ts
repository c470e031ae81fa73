import { brackets, finished, indented, quoted } from "./layout";
import { capitalised, type Declaration, keysIn, referenceIn, type Value, variable } from "./model";

const STEP = "    ";
const id = (name: string): string => `${variable(name)}.Id`;

/** A program in C#; needs the package `Pulumi.Tunnelplane`. */
export function csharp(declarations: readonly Declaration[]): string {
  const statements = declarations.map(({ name, type, fields, isUsed }) => {
    const made = `new Tunnelplane.${type}(${JSON.stringify(name)}, ${initializer("new()", fields)});\n`;
    return `${isUsed ? `var ${variable(name)} = ` : ""}${made}`;
  });
  const code = indented(statements.join(""), STEP);
  const used = [
    ...(code.includes(" Dictionary<") ? ["using System.Collections.Generic;\n"] : []),
    ...(code.includes("ImmutableArray.") ? ["using System.Collections.Immutable;\n"] : []),
  ];
  return finished(`${used.join("")}using Pulumi;
using Tunnelplane = Pulumi.Tunnelplane;

return await Deployment.RunAsync(() =>
{
${code}});
`);
}

function print(value: Value): string {
  switch (value.is) {
    case "text":
      return quoted(value.text, '@"', '"');
    case "reference":
      return id(value.to);
    case "enumeration":
      return `Tunnelplane.${value.type}.${value.member}`;
    case "list":
      return block("", value.items.map(print));
    case "map":
      return printMap(value);
    case "object":
      return initializer(`new Tunnelplane.Inputs.${value.type}Args`, value.fields);
    default:
      return literal(value.value);
  }
}

/** A list as an entry of a map. */
const entry = (value: Value): string =>
  value.is === "list" ? `ImmutableArray.Create(${value.items.map(print).join(", ")})` : print(value);

function printMap(value: Value & { is: "map" }): string {
  const keys = keysIn(value);
  if (keys.length === 0)
    return block(
      "",
      value.entries.map(([key, item]) => `{ ${JSON.stringify(key)}, ${entry(item)} }`),
    );
  const entries = value.entries.map(
    ([key, item]) => `[ids[${keys.indexOf(referenceIn(key) ?? "")}]] = ${print(item)}`,
  );
  return `Output.All(${keys.map(id).join(", ")}).Apply(ids => ${block("new Dictionary<string, int>", entries)})`;
}

const initializer = (made: string, fields: readonly (readonly [string, Value])[]): string =>
  block(
    made,
    fields.map(([name, field]) => `${capitalised(name)} = ${print(field)}`),
  );

const block = (before: string, items: readonly string[]): string =>
  brackets(`${before}\n{`.trimStart(), items, "}", STEP);

function literal(value: unknown): string {
  if (Array.isArray(value)) return block("new object?[]", value.map(literal));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `[${JSON.stringify(key)}] = ${literal(item)}`);
  return block("new Dictionary<string, object?>", entries);
}
