/** The JSON of an answer, and its strong ETag. */
export interface Answer {
  readonly json: string;
  readonly etag: string;
}

/** Stands between the documents of a page. Printed JSON has no line breaks, so it is in none of them. */
export const DOCUMENT_SEPARATOR = ",\n";

/** The documents of a page, each by itself. */
export const documentsOfPage = ({ documents }: Pick<Page, "documents">): string[] =>
  documents.flatMap((text) => (text === "" ? [] : text.split(DOCUMENT_SEPARATOR)));

/** A page of a list. */
export interface Page {
  /** Newest first; each text is one document, or several joined with {@link DOCUMENT_SEPARATOR}. */
  readonly documents: readonly string[];
  /** The `before_id` of the next page, or null on the last one. */
  readonly nextBefore: string | null;
  /** The parameter that takes it, where it is not `before_id`. */
  readonly cursor?: string;
}

/** A page of rows, read with one row above the limit, which shows whether there are more. */
export const pageOf = <R extends { readonly id: string }>(
  rows: readonly R[],
  limit: number,
  shown: (row: R) => object,
): Page => ({
  documents: rows.slice(0, limit).map((row) => JSON.stringify(shown(row))),
  nextBefore: rows.length > limit ? (rows[limit - 1]?.id ?? null) : null,
});

/** The limits of a page. */
export interface PageSize {
  /** How many objects. */
  readonly limit: number;
  /** Limit of their total bytes. A page holds at least one object, whatever its size. */
  readonly bytes: number;
}

/** The page of a log that is wanted. */
export interface LogPageRequest extends PageSize {
  /** Only older rows. */
  readonly before?: string;
}

/** How many objects of these sizes fit into a page. */
export function fitting(sizes: readonly number[], { limit, bytes }: PageSize): number {
  let [count, sum] = [0, 0];
  for (const size of sizes.slice(0, limit)) {
    sum += size;
    if (sum > bytes && count > 0) break;
    count++;
  }
  return count;
}
