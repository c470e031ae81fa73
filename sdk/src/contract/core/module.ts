import type { z } from "zod";
import { type Definition, defineResource } from "./definition";
import { reference } from "./fields";
import { bare, mark, marksOf } from "./marks";
import { withArticle } from "./names";
import { pathFieldsOf } from "./paths";

/** A module of a definition in the form of a resource of its own, whose first fields are those that its path names. */
export function moduleAsResource(parent: Definition, name: string): Definition {
  const field = parent.fields[name];
  if (!field || !marksOf(field).module) throw new Error(`There is no module ${name} of ${withArticle(parent.title)}`);
  const schema = bare(field) as z.ZodObject;
  const { rules = [], warnings = [], fill = (value) => value } = marksOf(schema);
  const parentId = mark(reference(parent.kind), { immutable: true });
  const pathFields = pathFieldsOf(parent).map((name) => [name, parent.fields[name] as z.ZodType]);
  return defineResource({
    ...parent,
    title: `${name} module of ${withArticle(parent.title)}`,
    fields: { ...Object.fromEntries(pathFields), [parent.idField]: parentId, ...(schema.shape as Record<string, z.ZodType>) },
    computed: {},
    derive: () => ({}),
    unique: () => [],
    rules,
    warnings,
    fill,
  });
}
