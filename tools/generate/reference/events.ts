import {
  type Change,
  changesOf,
  EVENT_TYPES,
  eventTypeOf,
  registry,
  SESSION_STARTED,
  SESSION_STOPPED,
  sampleEvent,
  sampleSessionEvent,
} from "../../../sdk/src/contract";
import { cell, fold } from "./fields";

const ENVELOPE: readonly (readonly [field: string, what: string])[] = [
  ["event_id", "Identifier; the same on every delivery and in every replay."],
  ["event_type", "One of the types below."],
  ["event_timestamp", "When it happened (RFC 3339)."],
  ["account_id", "Id of the account; one database is one account."],
  [
    "principal.id",
    "The user or bot that made the change; `server` or `command-line` where nobody did over the API.",
  ],
  ["principal.subject", "Its name."],
  ["principal.source", "`API`, or `SERVER` for changes by the server itself and on its command line."],
  ["principal.credential", "The API key that was used, as `id` and `uri`; null where there was none."],
  ["object", "The object as the API shows it, without its secrets; for a deletion, its last state."],
  ["changes", "Of an update only: `path`, `old` and `new` of each changed field. Secrets have no values."],
];

const was = (change: Change): string => (change === "expired" ? "has ended" : `was ${change}`);

const SESSIONS: Readonly<Record<string, string>> = {
  [SESSION_STARTED]: "An agent is connected and has bound something:",
  [SESSION_STOPPED]:
    "The session of an agent is over. `reason` says why: `left` for an agent that went, or whose gateway ended it; `stopped` or `restarted` where somebody asked for that; `gateway_silent` where its gateway has not reported for 90 s:",
};

/** Every type of event, with a payload. */
export function eventsPage(): string {
  const sections = EVENT_TYPES.map((type) => {
    const ofSession = SESSIONS[type];
    if (ofSession)
      return `## ${type}

${ofSession}

${fold("Payload", `\`\`\`json\n${JSON.stringify(sampleSessionEvent(type), null, 2)}\n\`\`\``)}`;
    const [definition, change] =
      registry
        .flatMap((one) => changesOf(one).map((happened) => [one, happened] as const))
        .find(([one, happened]) => eventTypeOf(one, happened) === type) ?? [];
    if (!definition || !change) throw new Error(`No resource type has the event ${type}`);
    const sharing = registry.filter(({ subject }) => subject === definition.subject);
    const titles = sharing.map(({ title, kind }) => `[${title}](${kind}.md)`).join(", ");
    return `## ${type}

${sharing.length > 1 ? `One of these ${was(change)}: ${titles}. Here a ${definition.title}:` : `A ${titles} ${was(change)}:`}

${fold("Payload", `\`\`\`json\n${JSON.stringify(sampleEvent(definition, change), null, 2)}\n\`\`\``)}`.replace(
      /\bA (\[(?:[AEIOU]|SSH|HTTP))/g,
      "An $1",
    );
  });
  const rows = ENVELOPE.map(([field, what]) => `| \`${field}\` | ${cell(what)} |\n`);
  return `# Event types

All ${EVENT_TYPES.length} types of events, each with a payload as a destination gets it. How events are delivered: [Events](../events.md).

| Field | What it is |
|---|---|
${rows.join("")}
${sections.join("\n")}`;
}
