import { brackets, finished, indented, quoted } from "./layout";
import {
  capitalised,
  type Declaration,
  type Element,
  keysIn,
  referenceIn,
  type Value,
  variable,
} from "./model";

const STEP = "\t";
const PULUMI = { string: "String", integer: "Int", number: "Float64", boolean: "Bool" } as const;
const id = (name: string): string => `${variable(name)}.ID()`;

/** A program in Go; needs the package that `importPath` names. */
export function go(declarations: readonly Declaration[], importPath: string): string {
  let isErrDeclared = false;
  const statements = declarations.map(({ name, type, fields, isUsed }) => {
    const assign = isUsed || !isErrDeclared ? ":=" : "=";
    isErrDeclared = true;
    const call = `tunnelplane.New${type}(ctx, ${JSON.stringify(name)}, ${struct(`${type}Args`, fields)})`;
    return `${isUsed ? variable(name) : "_"}, err ${assign} ${call}\nif err != nil {\n${STEP}return err\n}\n`;
  });
  return finished(`package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"${importPath}"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
${indented(`${statements.join("")}return nil\n`, STEP.repeat(2))}	})
}
`);
}

function print(value: Value): string {
  switch (value.is) {
    case "text":
      return `pulumi.String(${quoted(value.text, "`", "`")})`;
    case "number":
      return `pulumi.${Number.isInteger(value.value) ? "Int" : "Float64"}(${value.value})`;
    case "boolean":
      return `pulumi.Bool(${value.value})`;
    case "reference":
      return id(value.to);
    case "enumeration":
      return `tunnelplane.${value.type}(${JSON.stringify(value.value)})`;
    case "list":
      return brackets(`${typeOf(value.of)}Array{`, value.items.map(print), "}", STEP);
    case "map":
      return printMap(value);
    case "object":
      return struct(`${value.type}Args`, value.fields);
    case "any":
      return `pulumi.Any(${literal(value.value)})`;
  }
}

function printMap(value: Value & { is: "map" }): string {
  const keys = keysIn(value);
  const entries = value.entries.map(([key, item]) => `${JSON.stringify(key)}: ${print(item)}`);
  if (keys.length === 0)
    return brackets(`${value.of === "any" ? "pulumi." : typeOf(value.of)}Map{`, entries, "}", STEP);
  const plain = value.entries.map(([key, item]) => {
    if (item.is !== "number") throw new Error("Only maps of numbers have ids as keys");
    return `string(ids[${keys.indexOf(referenceIn(key) ?? "")}].(pulumi.ID)): ${item.value}`;
  });
  const made = `return ${brackets("map[string]int{", plain, "}", STEP)}\n`;
  return `pulumi.All(${keys.map(id).join(", ")}).ApplyT(func(ids []interface{}) map[string]int {\n${indented(made, STEP)}}).(pulumi.IntMapOutput)`;
}

const struct = (type: string, fields: readonly (readonly [string, Value])[]): string =>
  brackets(
    `&tunnelplane.${type}{`,
    fields.map(([name, field]) => `${capitalised(name)}: ${print(field)}`),
    "}",
    STEP,
  );

const typeOf = (element: Element): string => {
  if (typeof element === "object")
    return "listOf" in element ? `${typeOf(element.listOf)}Array` : `tunnelplane.${element.type}`;
  return element === "any" ? "pulumi." : `pulumi.${PULUMI[element]}`;
};

function literal(value: unknown): string {
  if (Array.isArray(value)) return brackets("[]interface{}{", value.map(literal), "}", STEP);
  if (typeof value !== "object" || value === null) return value === null ? "nil" : JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${literal(item)}`);
  return brackets("map[string]interface{}{", entries, "}", STEP);
}
