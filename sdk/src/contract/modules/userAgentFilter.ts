import { z } from "zod";
import { MAX_ENTRIES, module } from "../core/fields";
import type { Rule } from "../core/marks";
import { PATTERN_LIMITS, pattern } from "../formats/pattern";

const patterns = (doc: string) =>
  z
    .array(pattern())
    .max(MAX_ENTRIES)
    .default([])
    .meta({
      description: `${doc} ${PATTERN_LIMITS} At most ${MAX_ENTRIES} in \`allow\` and \`deny\` together.`,
    });

const notTooMany: Rule = function* ({ allow, deny }) {
  const count = [allow, deny].flat().filter((entry) => entry !== undefined).length;
  if (count > MAX_ENTRIES)
    yield {
      path: ["deny"],
      message: `makes it ${count} patterns in \`allow\` and \`deny\` together; at most ${MAX_ENTRIES} are allowed`,
    };
};

/** spec "User agent filter module". */
export const userAgentFilter = () =>
  module(
    { name: "EndpointUserAgentFilter", doc: "Allows or denies requests by their User-Agent header." },
    {
      allow: patterns("Regular expressions (RE2) for agents that are admitted."),
      deny: patterns("Regular expressions (RE2) for agents that are refused."),
    },
    { rules: [notTooMany] },
  );
