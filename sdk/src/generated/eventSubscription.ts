// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { Ref } from "../client/ref";

/** The fields of `sources`. */
export interface EventSubscriptionSources {
  /** A type of event, for example `ip_policy_created.v0`. */
  type: string;

  /** Address of the entry. */
  uri: string;
}

/**
 * Sends the events of some types to some destinations.
 *
 * As the API returns it.
 */
export interface EventSubscription {
  /** Identifier, `esb_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 characters. */
  metadata: string;

  /** A description for people. At most 255 characters. */
  description: string;

  /** The types of events; each is also an object of its own below the subscription. */
  sources: EventSubscriptionSources[];

  /** The destinations that receive the events. */
  destinations: Ref[];
}

/** The fields of `sources`. */
export interface EventSubscriptionSourcesReplace {
  /** A type of event, for example `ip_policy_created.v0`. */
  type: string;
}

/** The body that creates an event subscription. */
export interface EventSubscriptionCreate {
  /** Data of your own for machines, often JSON in a string. At most 4096 characters. */
  metadata?: string;

  /** A description for people. At most 255 characters. */
  description?: string;

  /** The types of events; each is also an object of its own below the subscription. */
  sources?: EventSubscriptionSourcesReplace[];

  /** The destinations that receive the events. */
  destination_ids?: string[];
}

/** The body that updates an event subscription; fields left out stay as they are. */
export type EventSubscriptionUpdate = Partial<EventSubscriptionCreate>;
