// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { Ref } from "../client/ref";

/** The fields of `sources`. */
export interface EventSubscriptionSources {
  /** A type of event; the server lists them all. */
  type: string;

  /** Address of the entry. */
  uri: string;
}

/**
 * Sends the events of some types to some destinations.
 *
 * As the API answers it.
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

  /** What it is for, in words for people. At most 255 characters. */
  description: string;

  /** The types of events; each is also an object of its own below the subscription. */
  sources: EventSubscriptionSources[];

  /** Where the events go. */
  destinations: Ref[];
}

/** The fields of `sources`. */
export interface EventSubscriptionSourcesReplace {
  /** A type of event; the server lists them all. */
  type: string;
}

/** The body that creates an event subscription. */
export interface EventSubscriptionCreate {
  /** Data of your own for machines, often JSON in a string. At most 4096 characters. */
  metadata?: string;

  /** What it is for, in words for people. At most 255 characters. */
  description?: string;

  /** The types of events; each is also an object of its own below the subscription. */
  sources?: EventSubscriptionSourcesReplace[];

  /** Where the events go. */
  destination_ids?: string[];
}

/** The body that updates an event subscription; fields left out stay as they are. */
export type EventSubscriptionUpdate = Partial<EventSubscriptionCreate>;
