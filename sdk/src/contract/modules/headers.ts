import type { z } from "zod";
import { module } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import {
  HEADER_LIMITS,
  requestHeaderNames,
  requestHeaders,
  responseHeaderNames,
  responseHeaders,
} from "../formats/http";

const addedAndRemoved: Rule<{ readonly add?: object; readonly remove?: readonly string[] }> = function* ({
  add = {},
  remove = [],
}) {
  const added = new Set(Object.keys(add).map((name) => name.toLowerCase()));
  for (const [index, name] of remove.entries())
    if (added.has(name.toLowerCase()))
      yield {
        path: ["remove", index],
        message: `is added too, and adding replaces what is there: leave it out here, or in \`add\``,
      };
};

const changing = (
  of: "request" | "response",
  name: string,
  { add, remove }: { readonly add: z.ZodType; readonly remove: z.ZodType },
  more = "",
) =>
  module(
    { name, doc: `Changes headers of each ${of}.${more}` },
    {
      add: mark(add.default({}), { userKeys: true }).meta({
        description: `Headers to set, by name. One that is there already is replaced. ${HEADER_LIMITS}`,
      }),
      remove: remove.default([]).meta({ description: "Names of headers to take away, in any case." }),
    },
    { rules: [addedAndRemoved] },
  );

/** names.md "Modules of HTTPS routes". Backends get the changed headers; checks see those that were sent. */
export const requestHeadersModule = () =>
  changing(
    "request",
    "EndpointRequestHeaders",
    { add: requestHeaders(), remove: requestHeaderNames() },
    " Backends get them; modules that decide about the request see the headers that the caller sent.",
  );

/** names.md "Modules of HTTPS routes". */
export const responseHeadersModule = () =>
  changing("response", "EndpointResponseHeaders", {
    add: responseHeaders(),
    remove: responseHeaderNames(),
  });
