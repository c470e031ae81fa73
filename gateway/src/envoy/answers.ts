import { refuseAnswer } from "@tunnelplane/sdk/rules";
import { type HeaderToAdd, headersToAdd } from "./headerChanges";
import type { Json } from "./json";

/** The fields of a route that is answered by Envoy itself. */
export type Response = {
  readonly direct_response: Json;
  readonly response_headers_to_add?: readonly HeaderToAdd[];
};

export function answerOf(
  status: number,
  body = "",
  headers: Readonly<Record<string, string>> = {},
): Response {
  refuseAnswer(status, headers);
  const added = headersToAdd(headers);
  return {
    direct_response: { status, body: body === "" ? undefined : { inline_string: body } },
    response_headers_to_add: added.length === 0 ? undefined : added,
  };
}
