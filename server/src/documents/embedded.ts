import { type Definition, definitionOf, type Embedded, marksOf, oncePer, pathFieldsOf } from "@tunnelplane/sdk/contract";
import { type RawBuilder, sql } from "kysely";

/** A list in an object's document of the objects that belong to it, such as the routes of an edge. */
interface EmbeddedList extends Embedded {
  /** The field that holds it. */
  readonly field: string;
  readonly definition: Definition;
  /** The field by which those objects refer to the one that they belong to. */
  readonly parentField: string;
}

/**
 * Documents are stored with their lists empty: a list is put together when it is read. So what belongs to an object is
 * written by itself, however much else belongs to it. Versions before this one stored the lists too, and wrote them
 * anew with each of their objects; such a document is right as it is, until an object of its list changes.
 */
export const embeddedListOf = oncePer((definition: Definition): EmbeddedList | undefined => {
  for (const [field, schema] of Object.entries(definition.computed)) {
    const { embeds } = marksOf(schema);
    if (!embeds) continue;
    const child = definitionOf(embeds.kind);
    return { ...embeds, field, definition: child, parentField: pathFieldsOf(child)[0] as string };
  }
  return undefined;
});

// Between a document and the objects of its list, and between these. Printed JSON has no such characters.
const BEFORE_LIST = "\f";
const IN_LIST = "\r";

/** What the database answers for a row's document: with the objects of its list behind it, where the kind has one. */
export function wholeOf(definition: Definition): RawBuilder<string> {
  const list = embeddedListOf(definition);
  if (!list) return sql`resource.document`;
  const newestFirst = sql`select child.document ${childrenOf(list)} order by child.id desc`;
  const children = sql`(select string_agg(document, ${sql.lit(IN_LIST)}) from (${newestFirst}) as children)`;
  return sql`resource.document || ${sql.lit(BEFORE_LIST)} || coalesce(${children}, '')`;
}

/** How many bytes that has. Neither database reads a text for its length. */
export function bytesOf(definition: Definition): RawBuilder<number> {
  const list = embeddedListOf(definition);
  const own = sql<number>`octet_length(resource.document)`;
  return list ? sql`${own} + coalesce((select sum(octet_length(child.document) + 1) ${childrenOf(list)}), 0)` : own;
}

const childrenOf = ({ parentField }: EmbeddedList) =>
  sql`from reference inner join resource as child on child.id = reference.from_id
    where reference.to_id = resource.id and reference.field = ${sql.lit(parentField)}`;

/** The document of a row that {@link wholeOf} was asked for, and the objects of its list. */
export function partsOf(whole: string): { own: string; children: string[] } {
  const [own = "", children = ""] = whole.split(BEFORE_LIST);
  return { own, children: children === "" ? [] : children.split(IN_LIST) };
}

/** How a document ends that is stored with its list empty: computed fields are the last of all. */
const endOf = ({ field }: EmbeddedList): string => `"${field}":[]}`;

/** Whether a stored document leaves its list to whoever reads it. */
export const leavesList = (list: EmbeddedList, own: string): boolean => own.endsWith(endOf(list));

/** A document with its list in it. */
export const withList = (list: EmbeddedList, own: string, children: readonly string[]): string =>
  leavesList(list, own) ? `${own.slice(0, -2)}${children.join(",")}]}` : own;

/** The document to store. */
export function withoutList(definition: Definition, document: Record<string, unknown>): Record<string, unknown> {
  const list = embeddedListOf(definition);
  return list ? { ...document, [list.field]: [] } : document;
}
