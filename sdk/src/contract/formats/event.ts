import type { Definition } from "../core/definition";
import { conditioned, text } from "../core/fields";

/** What events are named after, where the family of this API has a name of its own for it; see api-decisions "Event types". */
const SUBJECTS = [
  "api_key",
  "backend",
  "bot_user",
  "certificate_authority",
  "event_destination",
  "event_subscription",
  "https_edge",
  "https_edge_route",
  "ip_policy",
  "ip_policy_rule",
  "ssh_certificate_authority",
  "ssh_host_certificate",
  "ssh_public_key",
  "ssh_user_certificate",
  "tls_edge",
  "tunnel_credential",
];

const CHANGES = ["created", "updated", "deleted"] as const;

/** What can happen to an object. */
export type Change = (typeof CHANGES)[number];

/** Every type of event that a subscription may name. */
export const EVENT_TYPES: readonly string[] = SUBJECTS.flatMap((subject) => CHANGES.map((change) => `${subject}_${change}.v0`));

/** The type of the event that tells of a change. */
export const eventTypeOf = ({ subject }: Definition, change: Change): string => `${subject}_${change}.v0`;

/** The type of an event, for example `ip_policy_created.v0`. */
export const eventType = () =>
  conditioned(text(64), (type) => {
    if (EVENT_TYPES.includes(type)) return undefined;
    const alike = EVENT_TYPES.filter((known) => known.split("_")[0] === type.split(/[_.]/)[0]);
    return `is no event type; ${alike.length ? `there are ${alike.join(", ")}` : `expected "<what>_created.v0", "_updated.v0" or "_deleted.v0", <what> being ${SUBJECTS.join(", ")}`}`;
  }).meta({ examples: ["ip_policy_created.v0"] });
