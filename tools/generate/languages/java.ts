import { finished, indented, quoted } from "./layout";
import { type Declaration, keysIn, referenceIn, type Value, variable } from "./model";

const STEP = "    ";
const id = (name: string): string => `${variable(name)}.id()`;

/** A program in Java; needs the package `io.github.tunnelplane`. */
export function java(declarations: readonly Declaration[]): string {
  const statements = declarations.map(({ name, type, fields, isUsed }) => {
    const made = `new ${type}(${JSON.stringify(name)}, ${builder(`${type}Args`, fields)});\n`;
    return `${isUsed ? `var ${variable(name)} = ` : ""}${made}`;
  });
  const code = indented(statements.join(""), STEP.repeat(3));
  const imports = [
    ...(code.includes("Output.") ? ["com.pulumi.core.Output"] : []),
    "com.pulumi.Pulumi",
    "io.github.tunnelplane.*",
    ...(/Args\.builder[^;]*Args\.builder/.test(code) ? ["io.github.tunnelplane.inputs.*"] : []),
    ...(declarations.some(({ fields }) => JSON.stringify(fields).includes('"is":"enumeration"'))
      ? ["io.github.tunnelplane.enums.*"]
      : []),
    ...(code.includes("List.of") ? ["java.util.List"] : []),
    ...(code.includes("Map.of") ? ["java.util.Map"] : []),
  ];
  return finished(`${imports.map((name) => `import ${name};\n`).join("")}
public class App {
    public static void main(String[] args) {
        Pulumi.run(ctx -> {
${code}        });
    }
}
`);
}

function print(value: Value): string {
  switch (value.is) {
    case "text":
      return quoted(value.text, '"""\n', '"""');
    case "reference":
      return id(value.to);
    case "enumeration":
      return `${value.type}.${value.member}`;
    case "list":
      // A list that is known only later is one value.
      return value.items.some(({ is }) => is === "reference")
        ? `Output.all(${value.items.map(print).join(", ")})`
        : value.items.map(print).join(", ");
    case "map":
      return printMap(value);
    case "object":
      return builder(`${value.type}Args`, value.fields);
    default:
      return literal(value.value);
  }
}

/** A list as an entry of a map; as an argument, it is as many arguments. */
const entry = (value: Value): string => (value.is === "list" ? `List.of(${print(value)})` : print(value));

function printMap(value: Value & { is: "map" }): string {
  const keys = keysIn(value);
  if (keys.length === 0)
    return mapOf(value.entries.map(([key, item]) => `${JSON.stringify(key)}, ${entry(item)}`));
  const entries = value.entries.map(
    ([key, item]) => `ids.get(${keys.indexOf(referenceIn(key) ?? "")}), ${print(item)}`,
  );
  return `Output.all(${keys.map(id).join(", ")}).applyValue(ids -> ${mapOf(entries)})`;
}

const builder = (type: string, fields: readonly (readonly [string, Value])[]): string =>
  `${type}.builder()\n${indented([...fields.map(([name, field]) => `.${name}(${print(field)})`), ".build()"].join("\n"), STEP)}`;

const mapOf = (entries: readonly string[]): string =>
  entries.length === 0 ? "Map.of()" : `Map.of(${entries.join(", ")})`;

function literal(value: unknown): string {
  if (Array.isArray(value)) return `List.of(${value.map(literal).join(", ")})`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return mapOf(Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}, ${literal(item)}`));
}
