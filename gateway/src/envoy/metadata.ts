import { extension, type Json } from "./json";

interface Options {
  /** Whether a later filter with the same key writes over what is there. Default: true. */
  readonly overwrites?: boolean;
}

/** Where filters note how far the checks of a token came, and those of a user's claims. */
export const [TOKEN_MARK, CLAIMS_MARK] = ["tunnelplane.token", "tunnelplane.claims"] as const;

/** A filter that routes turn on, and that writes constants beside a request, for what comes after it. */
export const metadataFilter = (
  name: string,
  namespace: string,
  value: Json,
  { overwrites = true }: Options = {},
): Json => ({
  ...extension(name, "envoy.extensions.filters.http.set_metadata.v3.Config", {
    metadata: [{ metadata_namespace: namespace, value, ...(overwrites && { allow_overwrite: true }) }],
  }),
  disabled: true,
});

/** Metadata of a request, in the form of logs and reports. */
export const metadataText = (namespace: string, key: string): string =>
  `%DYNAMIC_METADATA(${namespace}:${key})%`;

/**
 * Whether a request has metadata with a value, for loggers and for changes of answers.
 * @param value as Envoy matches it, for example `{ bool_match: true }`
 * @param orAbsent whether nothing counts, too
 */
export const whereMetadata = (
  namespace: string,
  keys: readonly string[],
  value: Json,
  orAbsent = false,
): Json => ({
  metadata_filter: {
    matcher: { filter: namespace, path: keys.map((key) => ({ key })), value },
    match_if_key_not_found: orAbsent,
  },
});
