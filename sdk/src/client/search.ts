import type { Kind } from "../contract/kinds";
import type { Transport } from "./transport";

export interface SearchOptions {
  /** How many results at most, 1 to 100. Default 20. */
  readonly limit?: number;
  /** Whether objects of shared projects are searched too. Default: false. */
  readonly shared?: boolean;
}

/** The objects that a search found. */
export interface SearchResults {
  /** The best first, then the newest. */
  readonly results: readonly SearchResult[];
  /** Whether further objects fit. */
  readonly has_more: boolean;
}

/** An object that was found. */
export interface SearchResult {
  readonly id: string;
  /** Its type in the OpenAPI document, for example `TlsEdge`. */
  readonly type: string;
  readonly kind: Kind;
  /** Its name in the program that made it; absent without one. */
  readonly resource_name?: string;
  /** Its name for people: the one in the program, or else a text of its own, or else its id. */
  readonly title: string;
  /** The text that fits best: the path of its field, and what stands there. */
  readonly matched: { readonly field: string; readonly text: string };
  readonly uri: string;
  /** The object that it belongs to: the edge of a route, the policy of a rule. */
  readonly parent_id?: string;
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
  const query = new URLSearchParams({
    q: text,
    ...(limit !== undefined && { limit: String(limit) }),
    ...(shared && { shared: "true" }),
  });
  return (await transport.request<SearchResults>("GET", `/search?${query}`)).body;
}
