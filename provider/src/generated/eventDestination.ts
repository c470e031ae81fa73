// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The fields of `role`. */
export interface EventDestinationTargetModuleDeliveryServiceAuthRole {
  /** The role (ARN) that the server assumes to deliver. */
  roleRef: pulumi.Input<string>;
}

/** The fields of `creds`. */
export interface EventDestinationTargetModuleDeliveryServiceAuthCreds {
  /** Id of a long-term access key. */
  cloudAccessKeyId: pulumi.Input<string>;

  /** The access key's secret. Secret. */
  cloudSecretAccessKey: pulumi.Input<string>;
}

/** How to sign in: exactly one of `role` and `creds`. */
export interface EventDestinationTargetModuleDeliveryServiceAuth {
  /** Deliver as a role. */
  role?: pulumi.Input<EventDestinationTargetModuleDeliveryServiceAuthRole>;

  /** Deliver with a long-term access key. */
  creds?: pulumi.Input<EventDestinationTargetModuleDeliveryServiceAuthCreds>;
}

/** The fields of `deliveryService`. */
export interface EventDestinationTargetModuleDeliveryService {
  /** How to sign in: exactly one of `role` and `creds`. */
  auth: pulumi.Input<EventDestinationTargetModuleDeliveryServiceAuth>;

  /** The delivery stream (ARN). */
  deliveryStreamRef: pulumi.Input<string>;
}

/** The fields of `role`. */
export interface EventDestinationTargetModuleStreamServiceAuthRole {
  /** The role (ARN) that the server assumes to deliver. */
  roleRef: pulumi.Input<string>;
}

/** The fields of `creds`. */
export interface EventDestinationTargetModuleStreamServiceAuthCreds {
  /** Id of a long-term access key. */
  cloudAccessKeyId: pulumi.Input<string>;

  /** The access key's secret. Secret. */
  cloudSecretAccessKey: pulumi.Input<string>;
}

/** How to sign in: exactly one of `role` and `creds`. */
export interface EventDestinationTargetModuleStreamServiceAuth {
  /** Deliver as a role. */
  role?: pulumi.Input<EventDestinationTargetModuleStreamServiceAuthRole>;

  /** Deliver with a long-term access key. */
  creds?: pulumi.Input<EventDestinationTargetModuleStreamServiceAuthCreds>;
}

/** The fields of `streamService`. */
export interface EventDestinationTargetModuleStreamService {
  /** How to sign in: exactly one of `role` and `creds`. */
  auth: pulumi.Input<EventDestinationTargetModuleStreamServiceAuth>;

  /** The stream (ARN). */
  streamRef: pulumi.Input<string>;
}

/** The fields of `role`. */
export interface EventDestinationTargetModuleLogServiceAuthRole {
  /** The role (ARN) that the server assumes to deliver. */
  roleRef: pulumi.Input<string>;
}

/** The fields of `creds`. */
export interface EventDestinationTargetModuleLogServiceAuthCreds {
  /** Id of a long-term access key. */
  cloudAccessKeyId: pulumi.Input<string>;

  /** The access key's secret. Secret. */
  cloudSecretAccessKey: pulumi.Input<string>;
}

/** How to sign in: exactly one of `role` and `creds`. */
export interface EventDestinationTargetModuleLogServiceAuth {
  /** Deliver as a role. */
  role?: pulumi.Input<EventDestinationTargetModuleLogServiceAuthRole>;

  /** Deliver with a long-term access key. */
  creds?: pulumi.Input<EventDestinationTargetModuleLogServiceAuthCreds>;
}

/** The fields of `logService`. */
export interface EventDestinationTargetModuleLogService {
  /** How to sign in: exactly one of `role` and `creds`. */
  auth: pulumi.Input<EventDestinationTargetModuleLogServiceAuth>;

  /** The log group (ARN). */
  logGroupRef: pulumi.Input<string>;
}

/** The fields of `monitoringService`. */
export interface EventDestinationTargetModuleMonitoringService {
  /** The key for the intake. Secret. */
  apiKey: pulumi.Input<string>;

  /** Tags sent with each event. */
  monitoringTags?: pulumi.Input<string>;

  /** Service name sent with each event. */
  service?: pulumi.Input<string>;

  /** The site to send events to. Default: `datadoghq.com`. */
  monitoringSite?: pulumi.Input<string>;
}

/** The fields of `webhook`. */
export interface EventDestinationTargetModuleWebhook {
  /** Where each event is sent to, in a request of its own: an address that begins with `https://` and is on the internet; others need a server with `--allow-private-targets`. Redirects are not followed. */
  url: pulumi.Input<string>;

  /** Signs each request as Standard Webhooks says: `whsec_` and 24 to 64 bytes in base64. Left out, the server makes one, and a change that leaves it out keeps the one that is stored. Secret. */
  secret?: pulumi.Input<string>;

  /** Headers to send with each event, by name, at most 20; their values are secret. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade, and none that begins with `content-` or `webhook-`. Secret. */
  headers?: pulumi.Input<Record<string, pulumi.Input<string>>>;
}

/** Exactly one of `stream_service`, `delivery_service`, `log_service`, `monitoring_service`, `webhook`. A change replaces the target as a whole. */
export interface EventDestinationTargetModule {
  /** A delivery stream (Data Firehose). */
  deliveryService?: pulumi.Input<EventDestinationTargetModuleDeliveryService>;

  /** A stream (Kinesis Data Streams). */
  streamService?: pulumi.Input<EventDestinationTargetModuleStreamService>;

  /** A log group (CloudWatch Logs). */
  logService?: pulumi.Input<EventDestinationTargetModuleLogService>;

  /** A monitoring service (Datadog logs intake). */
  monitoringService?: pulumi.Input<EventDestinationTargetModuleMonitoringService>;

  /** A service of your own, or anybody's, that takes signed webhooks. */
  webhook?: pulumi.Input<EventDestinationTargetModuleWebhook>;
}

/** The arguments of an event destination. */
export interface EventDestinationArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The format of events. Default `"json"`. */
  format?: pulumi.Input<"json">;

  /** Exactly one of `stream_service`, `delivery_service`, `log_service`, `monitoring_service`, `webhook`. A change replaces the target as a whole. */
  target: pulumi.Input<EventDestinationTargetModule>;
}

/**
 * A service that receives events, with the credentials for it. It has no effect until a subscription names it.
 *
 * @example
 * ```ts
 * const audit = new tunnels.EventDestination("audit", {
 *   target: {
 *     logService: {
 *       logGroupRef: "arn:aws:logs:eu-central-1:123456789012:log-group:tunnels",
 *       auth: { role: { roleRef: "arn:aws:iam::123456789012:role/tunnels" } },
 *     },
 *   },
 * });
 * ```
 */
export class EventDestination extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The format of events. Default `"json"`. */
  declare readonly format: pulumi.Output<"json">;

  /** Exactly one of `stream_service`, `delivery_service`, `log_service`, `monitoring_service`, `webhook`. A change replaces the target as a whole. */
  declare readonly target: pulumi.Output<pulumi.Unwrap<NonNullable<EventDestinationArgs["target"]>>>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link EventDestinationArgs} */
  constructor(name: string, args: EventDestinationArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "event_destination", type: "EventDestination", properties: ["description", "metadata", "format", "target", "uri", "createdAt"], secrets: ["target.deliveryService.auth.creds.cloudSecretAccessKey", "target.streamService.auth.creds.cloudSecretAccessKey", "target.logService.auth.creds.cloudSecretAccessKey", "target.monitoringService.apiKey", "target.webhook.secret", "target.webhook.headers"] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): EventDestination {
    return new EventDestination(name, {} as EventDestinationArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.EventDestination, …)`. */
  static override isInstance(resource: unknown): resource is EventDestination {
    return isOfType(resource, "EventDestination");
  }
}
