import { extension, type Json, turnOn } from "./json";

/** A shorter answer gains nothing: its headers are as long. In bytes. */
const MIN_BYTES = 256;
/** Types of answers that compress well. */
const TYPES = [
  "text/html",
  "text/css",
  "text/plain",
  "text/javascript",
  "text/xml",
  "text/csv",
  "text/markdown",
  "application/javascript",
  "application/json",
  "application/ld+json",
  "application/problem+json",
  "application/manifest+json",
  "application/xml",
  "application/xhtml+xml",
  "application/rss+xml",
  "application/atom+xml",
  "application/wasm",
  "image/svg+xml",
];

const compressor = (name: string, library: Json, isFirst: boolean): Json => ({
  ...extension(name, "envoy.extensions.filters.http.compressor.v3.Compressor", {
    response_direction_config: {
      common_config: { min_content_length: MIN_BYTES, content_type: TYPES },
    },
    compressor_library: library,
    choose_first: isFirst,
  }),
  disabled: true,
});

const [BROTLI, GZIP] = ["brotli", "gzip"];

/** Filters that compress answers; where a caller takes both alike, with brotli, which makes them smaller. */
export const compressors = (): Json[] => [
  compressor(
    BROTLI,
    extension("brotli", "envoy.extensions.compression.brotli.compressor.v3.Brotli", { quality: 4 }),
    true,
  ),
  compressor(GZIP, extension("gzip", "envoy.extensions.compression.gzip.compressor.v3.Gzip"), false),
];

/** Turned on by routes that compress. */
export const compressing = (): Json => ({ [BROTLI]: turnOn(), [GZIP]: turnOn() });
