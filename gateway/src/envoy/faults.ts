import type { Json } from "./json";

/** In seconds: an application that was down is asked again by then. */
const AGAIN = "5";

const later: Json = {
  headers_to_add: [{ header: { key: "retry-after", value: AGAIN }, append_action: "ADD_IF_ABSENT" }],
};
const saying = (sentence: string): Json => ({
  body_format_override: { text_format_source: { inline_string: `${sentence}\n` } },
});
const flagged = (...flags: string[]): Json => ({ filter: { response_flag_filter: { flags } } });
const withStatus = (default_value: number): Json => ({
  filter: {
    status_code_filter: { comparison: { op: "EQ", value: { default_value, runtime_key: "none" } } },
  },
});

const APPLICATION = "The application behind %REQ(:AUTHORITY)%";

/**
 * Answers of Envoy itself to requests that were let in: they say whose fault it is, the application's. The
 * first that fits counts, so they come after all others.
 */
export const applicationFaults = (): Json[] => [
  {
    ...flagged("UH", "UF", "UO", "NC"),
    status_code: 503,
    ...saying(`${APPLICATION} takes no connections: it is down, or no agent is connected for it.`),
    ...later,
  },
  {
    ...flagged("UC", "UR", "UPE"),
    status_code: 502,
    ...saying(`${APPLICATION} ended the connection before it answered, or does not speak the protocol.`),
  },
  { ...withStatus(504), ...saying(`${APPLICATION} took too long to answer.`) },
  // Also those that are declared, with their own bodies.
  { ...withStatus(429), ...later },
  { ...withStatus(503), ...later },
];
