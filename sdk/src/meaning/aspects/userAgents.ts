import { z } from "zod";
import { moduleOf, type Reading, readModule } from "../judgement/reading";
import { finds, searching } from "../judgement/rules/patterns";
import { ending, passing, refused, unsure } from "../judgement/verdicts";
import type { ModelObject } from "../model";
import { holdsUnknown, textsIn } from "../values";
import type { Aspect } from "./aspect";
import { documented, listedText, showing, texts } from "./shown";

export interface UserAgents {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export const readUserAgents = (route: ModelObject): Reading<UserAgents | null> =>
  readModule<UserAgents | null>(
    moduleOf(route, "user_agent_filter"),
    null,
    (fields) => {
      const lists = { allow: textsIn(fields.allow), deny: textsIn(fields.deny) };
      return lists.allow.length + lists.deny.length > 0 ? lists : null; // an empty filter filters nothing
    },
    ({ allow, deny }) => [
      holdsUnknown(allow) ? allow : textsIn(allow),
      holdsUnknown(deny) ? deny : textsIn(deny),
    ],
  );

/** The check of user agents. */
export const userAgents = {
  of: { https_edge_route: true },
  prepare({ holder }) {
    const { value, unknown } = readUserAgents(holder);
    const field = "user_agent_filter";
    if (!value && !unknown) return undefined;
    const { allow, deny } = value ?? { allow: [], deny: [] };
    for (const pattern of [...allow, ...deny]) searching(pattern);
    const good = passing(holder, field, "The user agent may ask.");
    const denied = ending(holder, field, "The user agent is denied.", refused(403));
    const foreign = ending(holder, field, "The user agent is none of those that are allowed.", refused(403));
    const unrecorded = unsure(holder, field, "The user agent is not recorded.");
    return {
      look(request) {
        const agent = request.header("user-agent");
        if (agent === undefined) return unrecorded;
        if (deny.some((pattern) => finds(pattern, agent))) return denied;
        return allow.length === 0 || allow.some((pattern) => finds(pattern, agent)) ? good : foreign;
      },
      predicates: [allow, deny].map((patterns) => ({
        dimension: "header user-agent",
        op: "any",
        of: patterns.map((text) => ({ op: "matches", text })),
      })),
      ...(unknown && { unknown: "Which user agents may ask is not wholly known." }),
    };
  },
  shows: showing({
    field: "user_agents",
    title: "User agents",
    schema: () =>
      documented(
        z
          .object({
            allow: texts("Patterns; one of them has to match, unless the list is empty."),
            deny: texts("Patterns; none of them may match."),
          })
          .nullable(),
        "The user agents that pass; null if all do.",
      ),
    read: ({ holder }) => readUserAgents(holder),
    absent: null,
    exposed: (value: UserAgents | null) => value,
    words: (agents) =>
      agents &&
      [
        ...(agents.allow.length > 0 ? [`only ${listedText(agents.allow)}`] : []),
        ...(agents.deny.length > 0 ? [`not ${listedText(agents.deny)}`] : []),
      ].join(", "),
    check: (agents) => agents && "user agents",
  }),
} satisfies Aspect<"user_agent_filter">;
