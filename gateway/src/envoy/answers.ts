import { refuseAnswer } from "@tunnelplane/sdk/rules";
import type { Json } from "./json";

/** The fields of a route that is answered by Envoy itself. */
export type Response = {
  readonly direct_response: Json;
  readonly response_headers_to_add?: readonly Json[];
};

export function answerOf(
  status: number,
  body = "",
  headers: Readonly<Record<string, string>> = {},
): Response {
  refuseAnswer(status, headers);
  const added = Object.entries(headers).map(([key, value]) => ({
    header: { key, value: value.replaceAll("%", "%%") },
    append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
  }));
  return {
    direct_response: { status, body: body === "" ? undefined : { inline_string: body } },
    response_headers_to_add: added.length === 0 ? undefined : added,
  };
}
