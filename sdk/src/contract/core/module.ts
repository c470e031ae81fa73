import { type Definition, defineResource, fieldOf } from "./definition";
import { reference } from "./fields";
import { bare, mark, marksOf, shapeOf } from "./marks";
import { withArticle } from "./names";
import { pathFieldsOf } from "./paths";

/** A module of a definition in the form of a resource of its own, whose first fields are those that its path names. */
export function moduleAsResource(parent: Definition, name: string): Definition {
  const field = parent.fields[name];
  if (!field || !marksOf(field).module) throw new Error(`There is no module ${name} of ${withArticle(parent.title)}`);
  const schema = bare(field);
  const { rules = [], warnings = [], fill = (value) => value } = marksOf(schema);
  const parentId = mark(reference(parent.kind), { immutable: true });
  const pathFields = pathFieldsOf(parent).map((name) => [name, fieldOf(parent, name)]);
  return defineResource({
    ...parent,
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
