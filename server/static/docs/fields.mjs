import { h, inMarks } from "../console/dom.mjs";
import { folded } from "./folded.mjs";

/** Deeper fields are not shown; no schema of the API is as deep. */
const MAX_DEPTH = 8;

/** The fields of a schema, those of the objects inside folded away. */
export function fieldList(schema, document, depth = 0) {
  const { properties = {}, required = [] } = partsOf(schema, document);
  return h(
    "ul",
    { class: "fields" },
    ...Object.entries(properties).map(([name, field]) =>
      fieldItem(name, field, { document, depth, isRequired: required.includes(name) }),
    ),
  );
}

/** Whether a schema has fields to list. */
export const hasFields = (schema, document) =>
  Object.keys(partsOf(schema, document).properties ?? {}).length > 0;

/** A parameter, as a field is shown. */
export const parameterItem = ({ name, required, description, schema }, document) =>
  fieldItem(name, { ...schema, description }, { document, depth: MAX_DEPTH, isRequired: required });

function fieldItem(name, field, { document, depth, isRequired }) {
  const { description, limits, type, inner } = readable(field, document);
  return h(
    "li",
    {},
    h("p", {}, h("code", {}, name), " ", h("span", { class: "hint" }, type), isRequired && required()),
    description && h("p", {}, ...inMarks(description)),
    limits && h("p", { class: "hint" }, limits),
    depth < MAX_DEPTH &&
      inner.map(({ title, schema }) =>
        folded(title ? `Fields with ${title}` : `Fields of ${name}`, () =>
          fieldList(schema, document, depth + 1),
        ),
      ),
  );
}

const required = () => [" ", h("span", { class: "needed" }, "required")];

/** A schema without its null, and what it refers to. */
function partsOf(schema, document) {
  const found = document.resolve(schema);
  const choices = (found.anyOf ?? []).filter(({ type }) => type !== "null");
  if (choices.length === 1) return { ...document.resolve(choices[0]), isNullable: true, ...own(found) };
  return found;
}

const own = ({ description }) => (description ? { description } : {});

function readable(field, document) {
  const schema = partsOf(field, document);
  const element = schema.items && partsOf(schema.items, document);
  const choices = (element ?? schema).oneOf ?? (element ?? schema).anyOf ?? [];
  const shown = choices.length > 0 ? choices : [element ?? schema];
  return {
    description: schema.description,
    type: `${typeOf(schema, document)}${schema.isNullable ? " or null" : ""}`,
    limits: limitsOf(schema),
    inner: shown
      .map((one) => document.resolve(one))
      .filter((one) => one.properties)
      .map((one) => ({ schema: one, title: choices.length > 0 ? titleOf(one) : "" })),
  };
}

/** The constant by which an object of several shapes says which one it has. */
function titleOf({ properties, name, title }) {
  const [field] = Object.entries(properties).filter(([, value]) => value.const !== undefined);
  return field ? `${field[0]} ${JSON.stringify(field[1].const)}` : (title ?? name ?? "another shape");
}

function typeOf(schema, document) {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(", ");
  if (schema.items) return `list of ${plural(typeOf(partsOf(schema.items, document), document))}`;
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (schema.oneOf || schema.anyOf) return "one of several shapes";
  if (schema.additionalProperties && !schema.properties) return "map";
  return { "date-time": "time", uri: "URL" }[schema.format] ?? schema.type ?? "any value";
}

const LIMITS = {
  default: (value) => `Default ${JSON.stringify(value)}`,
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  minItems: (value) => `at least ${value} entries`,
  maxItems: (value) => `at most ${value} entries`,
  maxProperties: (value) => `at most ${value} names`,
};

function limitsOf(schema) {
  const text = Object.entries(LIMITS)
    .filter(([name]) => schema[name] !== undefined && Math.abs(schema[name]) !== Number.MAX_SAFE_INTEGER)
    .map(([name, say]) => say(schema[name]))
    .join(", ");
  return text && `${text[0].toUpperCase()}${text.slice(1)}.`;
}

const plural = (type) => (/^[a-z]+$/i.test(type) && !type.endsWith("s") ? `${type}s` : type);
