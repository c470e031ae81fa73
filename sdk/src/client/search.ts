import type { SearchResults } from "./generated";
import { queryText, type Transport } from "./transport";

export interface SearchOptions {
  /** How many results at most, 1 to 100. Default 20. */
  readonly limit?: number;
  /** Whether objects of shared projects are searched too. Default: false. */
  readonly shared?: boolean;
}

/**
 * Finds the objects that have every word of a text anywhere in their own texts, in upper or lower case.
 * @param text 1 to 128 characters
 */
export async function searchFor(
  transport: Transport,
  text: string,
  { limit, shared }: SearchOptions = {},
): Promise<SearchResults> {
  const query = queryText({ q: text, limit, shared: shared || undefined });
  return (await transport.request<SearchResults>("GET", `/search?${query}`)).body;
}
