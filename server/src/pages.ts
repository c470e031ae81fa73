import { type Definition, pathFieldsOf } from "@tunnelplane/sdk/contract";
import { type Kysely, sql } from "kysely";
import type { Database } from "./storage/schema";
import { type Statement, statement } from "./storage/statement";

/** Stands between documents. Printed JSON has no line breaks, so it is in none of them. */
const JOINT = ",\n";
/** Sorts after every id. */
const AFTER_ALL = "~";

interface PageRequest {
  readonly limit: number;
  /** Only what is older than this id. */
  readonly before?: string;
  /** Only what belongs to this user or bot. */
  readonly owner?: string;
  /** The ids that the collection's path names, by field. */
  readonly parents: Readonly<Record<string, string>>;
}

export interface StoredPage {
  /** As they are stored, newest first, with commas between. */
  readonly documents: string;
  /** Which object each of them is, and in which version: "<id> <version>". */
  readonly versions: readonly string[];
  /** The id to ask for what is older, or null at the end. */
  readonly nextBefore: string | null;
}

/** A page of the objects of a kind. The database puts the documents together: one text takes half as long as a hundred rows (measured 2026-11-21 on 2 cores, Node 24). */
export async function pageOf(db: Kysely<Database>, definition: Definition, request: PageRequest): Promise<StoredPage> {
  const { limit, before = AFTER_ALL, owner = "", parents } = request;
  // One more than asked for tells whether there is a next page.
  const parameters = { ...parents, kind: definition.kind, before, owner, limit: limit + 1 };
  const [page] = await statementFor(pathFieldsOf(definition), request.owner !== undefined)(db, parameters);
  if (!page?.versions || page.documents === null) return { documents: "", versions: [], nextBefore: null };
  const versions = page.versions.split(",");
  if (versions.length <= limit) return { documents: page.documents, versions, nextBefore: null };
  const documents = page.documents.slice(0, page.documents.lastIndexOf(JOINT));
  const [last] = (versions[limit - 1] as string).split(" ");
  return { documents, versions: versions.slice(0, limit), nextBefore: last as string };
}

/** The documents of a page, one by one. */
export const documentsIn = ({ documents }: StoredPage): string[] => (documents === "" ? [] : documents.split(JOINT));

type PageStatement = Statement<Record<string, string | number>, { documents: string | null; versions: string | null }>;

const statements = new Map<string, PageStatement>();

/** @param parents the fields that refer to the objects which the collection's path names */
function statementFor(parents: readonly string[], owned: boolean): PageStatement {
  const shape = `${parents} ${owned}`;
  let known = statements.get(shape);
  if (!known) {
    known = pageStatement(parents, owned);
    statements.set(shape, known);
  }
  return known;
}

const pageStatement = (parents: readonly string[], owned: boolean): PageStatement =>
  statement((db, parameter) => {
    let rows = db
      .selectFrom("resource")
      .select(["id", "version", "document"])
      .where("kind", "=", parameter("kind") as string)
      .where("id", "<", parameter("before") as string);
    if (owned) rows = rows.where("owner_id", "=", parameter("owner") as string);
    for (const field of parents) {
      const children = db.selectFrom("reference").select("from_id").where("field", "=", field);
      rows = rows.where("id", "in", children.where("to_id", "=", parameter(field) as string));
    }
    const page = rows.orderBy("id", "desc").limit(parameter("limit") as number);
    return db
      .selectFrom(page.as("page"))
      .select([
        sql<string | null>`string_agg(document, ${sql.lit(JOINT)})`.as("documents"),
        sql<string | null>`string_agg(id || ' ' || version, ',')`.as("versions"),
      ]);
  });
