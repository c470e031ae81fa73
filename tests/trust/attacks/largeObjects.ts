/** The largest possible map: the most entries, each with the longest value. */
const full = (length: number) =>
  Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x-entry-${index}`, "x".repeat(length)]));

/** A backend of 885 kB, the largest that the limits allow. */
export const largeBackend = { body: "x".repeat(65_536), headers: full(8_192) };
const config = { status_code: 200, content: "x".repeat(32_768), headers: full(4_096) };
const rule = { name: "large", expressions: [], actions: [{ type: "custom-response", config }] };

/** A route of 890 kB, by two of its responses. */
export const largeRoute = (match: string) => ({
  match_type: "path_prefix",
  match,
  policies: { enabled: true, inbound: [rule, rule], outbound: [] },
});
