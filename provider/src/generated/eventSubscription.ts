// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The fields of `sources`. */
export interface EventSubscriptionSourcesModule {
  /** A type of event, for example `ip_policy_created.v0`. */
  type: pulumi.Input<string>;
}

/** The arguments of an event subscription. */
export interface EventSubscriptionArgs {
  /** Data of your own for machines, often JSON in a string. At most 4096 characters. */
  metadata?: pulumi.Input<string>;

  /** A description for people. At most 255 characters. */
  description?: pulumi.Input<string>;

  /** The types of events; each is also an object of its own below the subscription. */
  sources?: pulumi.Input<pulumi.Input<EventSubscriptionSourcesModule>[]>;

  /** The destinations that receive the events. */
  destinationIds?: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * Sends the events of some types to some destinations.
 *
 * @example
 * ```ts
 * const watch = new tunnels.EventSubscription("watch", {
 *   sources: [{ type: "ip_policy_created.v0" }, { type: "ip_policy_deleted.v0" }],
 *   destinationIds: [audit.id],
 * });
 * ```
 */
export class EventSubscription extends Resource {
  /** Data of your own for machines, often JSON in a string. At most 4096 characters. */
  declare readonly metadata: pulumi.Output<string>;

  /** A description for people. At most 255 characters. */
  declare readonly description: pulumi.Output<string>;

  /** The types of events; each is also an object of its own below the subscription. */
  declare readonly sources: pulumi.Output<{ type: string; uri: string }[]>;

  /** The destinations that receive the events. */
  declare readonly destinationIds: pulumi.Output<string[]>;

  /** The destinations that receive the events. */
  declare readonly destinations: pulumi.Output<{ id: string; uri: string }[]>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link EventSubscriptionArgs} */
  constructor(name: string, args: EventSubscriptionArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "event_subscription", type: "EventSubscription", properties: ["metadata", "description", "sources", "destinationIds", "destinations", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): EventSubscription {
    return new EventSubscription(name, {} as EventSubscriptionArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.EventSubscription, …)`. */
  static override isInstance(resource: unknown): resource is EventSubscription {
    return isOfType(resource, "EventSubscription");
  }
}
