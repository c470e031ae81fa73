/** JSON to answer, and the strong ETag of what it shows. */
export interface Answer {
  readonly json: string;
  readonly etag: string;
}

/** Stands between the documents of a page. Printed JSON has no line breaks, so it is in none of them. */
export const JOINT = ",\n";

/** A page of a list. */
export interface Page {
  /** Newest first; each the JSON of one, or of several with {@link JOINT} between. */
  readonly documents: readonly string[];
  /** The id to ask for what is older, or null at the end. */
  readonly nextBefore: string | null;
  /** The parameter that takes it, where it is not `before_id`. */
  readonly cursor?: string;
}

/** How much a page may hold. */
export interface PageSize {
  /** How many objects. */
  readonly limit: number;
  /** How many bytes they may have together; one object is in a page whatever its size. */
  readonly bytes: number;
}

/** How many of the objects of these sizes a page holds. */
export function fitting(sizes: readonly number[], { limit, bytes }: PageSize): number {
  let [count, sum] = [0, 0];
  for (const size of sizes.slice(0, limit)) {
    sum += size;
    if (sum > bytes && count > 0) break;
    count++;
  }
  return count;
}
