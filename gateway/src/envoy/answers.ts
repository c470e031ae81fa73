import { complainAboutHeaderValue, complainAboutResponseHeader } from "@tunnelplane/sdk/contract";
import type { Json } from "./json";
import { Unservable } from "./model";

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
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new Unservable(
      `it answers with the status ${status}, which is none that a request can end with: use 200 to 599`,
    );
  const added = Object.entries(headers).map(([key, value]) => {
    const complaint = complainAboutResponseHeader(key) ?? complainAboutHeaderValue(value);
    if (complaint)
      throw new Unservable(`it answers with the header ${JSON.stringify(key)}, which ${complaint}`);
    return {
      header: { key, value: value.replaceAll("%", "%%") },
      append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
    };
  });
  return {
    direct_response: { status, body: body === "" ? undefined : { inline_string: body } },
    response_headers_to_add: added.length === 0 ? undefined : added,
  };
}
