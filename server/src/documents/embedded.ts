import {
  type Definition,
  definitionOf,
  type Embedded,
  marksOf,
  oncePer,
  pathFieldsOf,
  present,
} from "@tunnelplane/sdk/contract";
import { type RawBuilder, sql } from "kysely";

/** A list in an object's document of the objects that belong to it, such as the routes of an edge. */
interface EmbeddedList extends Embedded {
  /** The field that holds it. */
  readonly field: string;
  readonly definition: Definition;
  /** The field by which those objects refer to their parent. */
  readonly parentField: string;
}

/**
 * A document is stored with an empty list, and the list is assembled when it is read. So a change of one
 * child writes only that child.
 */
export const embeddedListOf = oncePer((definition: Definition): EmbeddedList | undefined => {
  for (const [field, schema] of Object.entries(definition.computed)) {
    const { embeds } = marksOf(schema);
    if (!embeds) continue;
    const child = definitionOf(embeds.kind);
    return { ...embeds, field, definition: child, parentField: present(pathFieldsOf(child)[0]) };
  }
  return undefined;
});

// Separates a document from its list, and the list's objects from each other. Printed JSON has no such
// characters.
const BEFORE_LIST = "\f";
const IN_LIST = "\r";

/** Selects a row's document, followed by the objects of its list if the type has one. */
export function wholeOf(definition: Definition): RawBuilder<string> {
  const list = embeddedListOf(definition);
  if (!list) return sql`resource.document`;
  const newestFirst = sql`select child.document ${childrenOf(list)} order by child.id desc`;
  const children = sql`(select string_agg(document, ${sql.lit(IN_LIST)}) from (${newestFirst}) as children)`;
  return sql`resource.document || ${sql.lit(BEFORE_LIST)} || coalesce(${children}, '')`;
}

/** Its length in bytes. Neither database reads the text itself for that. */
export function bytesOf(definition: Definition): RawBuilder<number> {
  const list = embeddedListOf(definition);
  const own = sql<number>`octet_length(resource.document)`;
  return list
    ? sql`${own} + coalesce((select sum(octet_length(child.document) + 1) ${childrenOf(list)}), 0)`
    : own;
}

const childrenOf = ({ parentField }: EmbeddedList) =>
  sql`from reference inner join resource as child on child.id = reference.from_id
    where reference.to_id = resource.id and reference.field = ${sql.lit(parentField)}`;

/** Splits the text of {@link wholeOf} into the document and the objects of its list. */
export function partsOf(whole: string): { own: string; children: string[] } {
  const [own = "", children = ""] = whole.split(BEFORE_LIST);
  return { own, children: children === "" ? [] : children.split(IN_LIST) };
}

/** A document with its list in it: computed fields come last, so it ends with the empty list. */
export const withList = (own: string, children: readonly string[]): string =>
  `${own.slice(0, -2)}${children.join(",")}]}`;

/** The document to store. */
export function withoutList(
  definition: Definition,
  document: Record<string, unknown>,
): Record<string, unknown> {
  const list = embeddedListOf(definition);
  return list ? { ...document, [list.field]: [] } : document;
}
