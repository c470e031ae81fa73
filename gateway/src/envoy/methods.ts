import { METHODS } from "@tunnelplane/sdk/rules";
import type { Json } from "./json";
import { admitting, httpRbac } from "./rbac";

/** Of methods in one expression: Envoy refuses programs of RE2 with more than 100 instructions. */
const TOGETHER = 16;

const expressions = METHODS.flatMap((_, index) =>
  index % TOGETHER === 0 ? [METHODS.slice(index, index + TOGETHER).join("|")] : [],
);
const known: readonly Json[] = expressions.map((regex) => ({
  name: ":method",
  string_match: { safe_regex: { regex } },
}));

/** Keeps methods out over HTTP/2 that Envoy does not read over HTTP/1.1, so that both get one answer. */
export const onlyKnownMethods = (): Json =>
  httpRbac("method", admitting([{ or_rules: { rules: known.map((header) => ({ header })) } }], []));

/** Answers 400 to all other methods, as Envoy does over HTTP/1.1. */
export const otherMethods = (): Json => ({
  filter: {
    and_filter: {
      filters: known.map((one) => ({ header_filter: { header: { ...one, invert_match: true } } })),
    },
  },
  status_code: 400,
});
