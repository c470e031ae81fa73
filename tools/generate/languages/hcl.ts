import { brackets } from "./layout";
import { type Declaration, referenceIn, snakeCase, type Value } from "./model";

const STEP = "  ";

/** A program in HCL, as `runtime: hcl` of Pulumi takes it; see docs/how-to/hcl.md. */
export function hcl(declarations: readonly Declaration[]): string {
  const kinds = new Map(declarations.map(({ name, type }) => [name, `tunnelplane_${snakeCase(type)}`]));
  const id = (name: string) => `${kinds.get(name)}.${name}.id`;
  return declarations
    .map(({ name, fields }) => {
      const lines = fields.flatMap(([field, value]) => statements(snakeCase(field), value, id));
      return `${block(`resource "${kinds.get(name)}" "${name}"`, lines)}\n`;
    })
    .join("\n");
}

type Id = (name: string) => string;

/** A list of objects is a block for each of them, everything else an attribute. */
function statements(name: string, value: Value, id: Id): string[] {
  if (value.is !== "list" || !value.items.some((item) => item.is === "object"))
    return [attribute(name, value, id)];
  return value.items.map((item) =>
    item.is === "object"
      ? block(
          name,
          item.fields.map(([field, inner]) => attribute(snakeCase(field), inner, id)),
        )
      : "",
  );
}

/** A text of whole lines stands there line by line. */
const attribute = (name: string, value: Value, id: Id): string =>
  value.is === "text" && /\n(?:.*\n)+$/.test(value.text)
    ? `${name} = <<-EOT\n${escaped(value.text)}EOT`
    : `${name} = ${print(value, id)}`;

const block = (head: string, lines: readonly string[]): string =>
  lines.length === 0
    ? `${head} {}`
    : `${head} {\n${lines.map((line) => line.replaceAll(/^(?=.)/gm, STEP)).join("\n")}\n}`;

function print(value: Value, id: Id): string {
  switch (value.is) {
    case "text":
      return text(value.text);
    case "reference":
      return id(value.to);
    case "list":
      return list(value.items.map((item) => print(item, id)));
    case "map":
      return object(
        value.entries.map(([key, item]) => {
          const to = referenceIn(key);
          return [to === undefined ? keyOf(key) : `(${id(to)})`, print(item, id)];
        }),
      );
    case "object":
      return object(value.fields.map(([name, field]) => [snakeCase(name), print(field, id)]));
    default:
      return literal(value.value);
  }
}

function literal(value: unknown): string {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return list(value.map(literal));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return object(Object.entries(value).map(([key, item]) => [keyOf(key), literal(item)]));
}

/** `${` and `%{` begin a template in HCL, unless they are doubled. */
const escaped = (value: string): string => value.replaceAll(/([$%])(?=\{)/g, "$1$1");

const text = (value: string): string => escaped(JSON.stringify(value));

const keyOf = (key: string): string => (/^[a-z_]\w*$/i.test(key) ? key : text(key));

const list = (items: readonly string[]): string =>
  items.every((item) => !item.includes("\n")) ? `[${items.join(", ")}]` : brackets("[", items, "]", STEP);

const object = (entries: readonly (readonly [string, string])[]): string =>
  entries.length === 1 && entries.every(([, value]) => !value.includes("\n"))
    ? `{ ${entries.map(([key, value]) => `${key} = ${value}`).join("")} }`
    : block(
        "",
        entries.map(([key, value]) => `${key} = ${value}`),
      ).trimStart();
