import type { HttpsEdgeRoutes } from "@tunnelplane/sdk";
import { refuseAnswer } from "@tunnelplane/sdk/rules";
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

type Changes = NonNullable<HttpsEdgeRoutes["request_headers"]>;

/** A header that Envoy sets, in the place of one that is there. */
export interface HeaderToAdd extends Json {
  readonly header: { readonly key: string; readonly value: string };
}

/** @param headers texts by name; Envoy expands what stands between signs of per cent, so these are doubled */
export const headersToAdd = (headers: Readonly<Record<string, string>>): HeaderToAdd[] =>
  Object.entries(headers).map(([key, value]) => ({
    header: { key, value: value.replaceAll("%", "%%") },
    append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
    ...(value === "" && { keep_empty_value: true }),
  }));

/** @param own headers of an answer that the gateway gives itself; Envoy removes before it adds */
function changed(
  of: "request" | "response",
  changes: Changes | null | undefined,
  own: readonly HeaderToAdd[],
): Json {
  const { add = {}, remove = [] } = changes?.enabled ? changes : {};
  const removed = new Set(remove.map((name) => name.toLowerCase()));
  const added = [...own.filter(({ header }) => !removed.has(header.key.toLowerCase())), ...headersToAdd(add)];
  return {
    [`${of}_headers_to_add`]: added.length > 0 ? added : undefined,
    [`${of}_headers_to_remove`]: remove.length > 0 ? remove : undefined,
  };
}

/**
 * The headers that a route changes, as fields of Envoy's route. Headers that say who the caller is come from
 * the whole listener, which Envoy writes after those of a route.
 *
 * @param own headers of an answer that the gateway gives itself
 */
export const headerChanges = (
  { request_headers, response_headers }: Pick<HttpsEdgeRoutes, "request_headers" | "response_headers">,
  own: readonly HeaderToAdd[] = [],
): Json => ({ ...changed("request", request_headers, []), ...changed("response", response_headers, own) });
