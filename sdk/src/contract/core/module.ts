import { type Definition, defineResource, fieldOf, pathFieldsOf } from "./definition";
import { reference } from "./fields";
import { bare, mark, marksOf, shapeOf } from "./marks";
import { own } from "./narrow";
import { camelCase, pascalCase, withArticle } from "./spelling";

/** What programs may pass for the id of an object in whose path another's id stands. */
export const eitherId = (parent: Definition): string =>
  pathFieldsOf(parent).length > 0
    ? ` Both the resource's \`id\` and its \`${camelCase(parent.idField)}\` are accepted.`
    : "";

/** The definition of a module as a resource of its own. Its first fields are those of its path. */
export function moduleAsResource(parent: Definition, name: string): Definition {
  const field = own(parent.fields, name);
  if (!field || !marksOf(field).module)
    throw new Error(`There is no module ${name} of ${withArticle(parent.title)}`);
  const schema = bare(field);
  const { rules = [], warnings = [], fill = (value) => value } = marksOf(schema);
  const pathFields = pathFieldsOf(parent).map((name) => [name, fieldOf(parent, name)]);
  const parentId = mark(reference(parent.kind), { immutable: true }).meta({
    description: `The ${parent.title} that the module belongs to.${eitherId(parent)}`,
  });
  return defineResource({
    ...parent,
    type: parent.type + pascalCase(name),
    title: `${name} module of ${withArticle(parent.title)}`,
    fields: { ...Object.fromEntries(pathFields), [parent.idField]: parentId, ...shapeOf(schema) },
    computed: {},
    derive: () => ({}),
    unique: () => [],
    rules,
    warnings,
    fill,
  });
}
