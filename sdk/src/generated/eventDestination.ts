// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/** The fields of `role`. */
export interface EventDestinationTargetDeliveryServiceAuthRole {
  /** The role (ARN) that the server assumes to deliver. */
  role_ref: string;
}

/** The fields of `creds`. */
export interface EventDestinationTargetDeliveryServiceAuthCreds {
  /** Id of a long-term access key. */
  cloud_access_key_id: string;

  /** The access key's secret. Secret. */
  cloud_secret_access_key: string;
}

/** How to sign in: exactly one of `role` and `creds`. */
export interface EventDestinationTargetDeliveryServiceAuth {
  /** Deliver as a role. */
  role: EventDestinationTargetDeliveryServiceAuthRole | null;

  /** Deliver with a long-term access key. */
  creds: EventDestinationTargetDeliveryServiceAuthCreds | null;
}

/** The fields of `delivery_service`. */
export interface EventDestinationTargetDeliveryService {
  /** How to sign in: exactly one of `role` and `creds`. */
  auth: EventDestinationTargetDeliveryServiceAuth;

  /** The delivery stream (ARN). */
  delivery_stream_ref: string;
}

/** The fields of `role`. */
export interface EventDestinationTargetStreamServiceAuthRole {
  /** The role (ARN) that the server assumes to deliver. */
  role_ref: string;
}

/** The fields of `creds`. */
export interface EventDestinationTargetStreamServiceAuthCreds {
  /** Id of a long-term access key. */
  cloud_access_key_id: string;

  /** The access key's secret. Secret. */
  cloud_secret_access_key: string;
}

/** How to sign in: exactly one of `role` and `creds`. */
export interface EventDestinationTargetStreamServiceAuth {
  /** Deliver as a role. */
  role: EventDestinationTargetStreamServiceAuthRole | null;

  /** Deliver with a long-term access key. */
  creds: EventDestinationTargetStreamServiceAuthCreds | null;
}

/** The fields of `stream_service`. */
export interface EventDestinationTargetStreamService {
  /** How to sign in: exactly one of `role` and `creds`. */
  auth: EventDestinationTargetStreamServiceAuth;

  /** The stream (ARN). */
  stream_ref: string;
}

/** The fields of `role`. */
export interface EventDestinationTargetLogServiceAuthRole {
  /** The role (ARN) that the server assumes to deliver. */
  role_ref: string;
}

/** The fields of `creds`. */
export interface EventDestinationTargetLogServiceAuthCreds {
  /** Id of a long-term access key. */
  cloud_access_key_id: string;

  /** The access key's secret. Secret. */
  cloud_secret_access_key: string;
}

/** How to sign in: exactly one of `role` and `creds`. */
export interface EventDestinationTargetLogServiceAuth {
  /** Deliver as a role. */
  role: EventDestinationTargetLogServiceAuthRole | null;

  /** Deliver with a long-term access key. */
  creds: EventDestinationTargetLogServiceAuthCreds | null;
}

/** The fields of `log_service`. */
export interface EventDestinationTargetLogService {
  /** How to sign in: exactly one of `role` and `creds`. */
  auth: EventDestinationTargetLogServiceAuth;

  /** The log group (ARN). */
  log_group_ref: string;
}

/** The fields of `monitoring_service`. */
export interface EventDestinationTargetMonitoringService {
  /** The key for the intake. Secret. */
  api_key: string;

  /** Tags sent with each event. */
  monitoring_tags: string;

  /** Service name sent with each event. */
  service: string;

  /** The site to send events to. Default: `datadoghq.com`. */
  monitoring_site: string;
}

/** The fields of `webhook`. */
export interface EventDestinationTargetWebhook {
  /** Where each event is sent to, in a request of its own: an address that begins with `https://` and is on the internet; others need a server with `--allow-private-targets`. Redirects are not followed. */
  url: string;

  /** Signs each request as Standard Webhooks says: `whsec_` and 24 to 64 bytes in base64. Left out, the server makes one, and a change that leaves it out keeps the one that is stored. */
  secret: string;

  /** Headers to send with each event, by name, at most 20; their values are secret. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade, and none that begins with `content-` or `webhook-`. */
  headers: Record<string, string>;
}

/** Exactly one of `stream_service`, `delivery_service`, `log_service`, `monitoring_service`, `webhook`. A change replaces the target as a whole. */
export interface EventDestinationTarget {
  /** A delivery stream (Data Firehose). */
  delivery_service: EventDestinationTargetDeliveryService | null;

  /** A stream (Kinesis Data Streams). */
  stream_service: EventDestinationTargetStreamService | null;

  /** A log group (CloudWatch Logs). */
  log_service: EventDestinationTargetLogService | null;

  /** A monitoring service (Datadog logs intake). */
  monitoring_service: EventDestinationTargetMonitoringService | null;

  /** A service of your own, or anybody's, that takes signed webhooks. */
  webhook: EventDestinationTargetWebhook | null;
}

/**
 * A service that receives events, with the credentials for it. It has no effect until a subscription names it.
 *
 * As the API returns it.
 */
export interface EventDestination {
  /** Identifier, `ed_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The format of events. */
  format: "json";

  /** Exactly one of `stream_service`, `delivery_service`, `log_service`, `monitoring_service`, `webhook`. A change replaces the target as a whole. */
  target: EventDestinationTarget;
}

/** The fields of `role`. */
export interface EventDestinationTargetDeliveryServiceAuthRoleReplace {
  /** The role (ARN) that the server assumes to deliver. */
  role_ref: string;
}

/** The fields of `creds`. */
export interface EventDestinationTargetDeliveryServiceAuthCredsReplace {
  /** Id of a long-term access key. */
  cloud_access_key_id: string;

  /** The access key's secret. Secret. */
  cloud_secret_access_key: string;
}

/** How to sign in: exactly one of `role` and `creds`. */
export interface EventDestinationTargetDeliveryServiceAuthReplace {
  /** Deliver as a role. */
  role?: EventDestinationTargetDeliveryServiceAuthRoleReplace | null;

  /** Deliver with a long-term access key. */
  creds?: EventDestinationTargetDeliveryServiceAuthCredsReplace | null;
}

/** The fields of `delivery_service`. */
export interface EventDestinationTargetDeliveryServiceReplace {
  /** How to sign in: exactly one of `role` and `creds`. */
  auth: EventDestinationTargetDeliveryServiceAuthReplace;

  /** The delivery stream (ARN). */
  delivery_stream_ref: string;
}

/** The fields of `role`. */
export interface EventDestinationTargetStreamServiceAuthRoleReplace {
  /** The role (ARN) that the server assumes to deliver. */
  role_ref: string;
}

/** The fields of `creds`. */
export interface EventDestinationTargetStreamServiceAuthCredsReplace {
  /** Id of a long-term access key. */
  cloud_access_key_id: string;

  /** The access key's secret. Secret. */
  cloud_secret_access_key: string;
}

/** How to sign in: exactly one of `role` and `creds`. */
export interface EventDestinationTargetStreamServiceAuthReplace {
  /** Deliver as a role. */
  role?: EventDestinationTargetStreamServiceAuthRoleReplace | null;

  /** Deliver with a long-term access key. */
  creds?: EventDestinationTargetStreamServiceAuthCredsReplace | null;
}

/** The fields of `stream_service`. */
export interface EventDestinationTargetStreamServiceReplace {
  /** How to sign in: exactly one of `role` and `creds`. */
  auth: EventDestinationTargetStreamServiceAuthReplace;

  /** The stream (ARN). */
  stream_ref: string;
}

/** The fields of `role`. */
export interface EventDestinationTargetLogServiceAuthRoleReplace {
  /** The role (ARN) that the server assumes to deliver. */
  role_ref: string;
}

/** The fields of `creds`. */
export interface EventDestinationTargetLogServiceAuthCredsReplace {
  /** Id of a long-term access key. */
  cloud_access_key_id: string;

  /** The access key's secret. Secret. */
  cloud_secret_access_key: string;
}

/** How to sign in: exactly one of `role` and `creds`. */
export interface EventDestinationTargetLogServiceAuthReplace {
  /** Deliver as a role. */
  role?: EventDestinationTargetLogServiceAuthRoleReplace | null;

  /** Deliver with a long-term access key. */
  creds?: EventDestinationTargetLogServiceAuthCredsReplace | null;
}

/** The fields of `log_service`. */
export interface EventDestinationTargetLogServiceReplace {
  /** How to sign in: exactly one of `role` and `creds`. */
  auth: EventDestinationTargetLogServiceAuthReplace;

  /** The log group (ARN). */
  log_group_ref: string;
}

/** The fields of `monitoring_service`. */
export interface EventDestinationTargetMonitoringServiceReplace {
  /** The key for the intake. Secret. */
  api_key: string;

  /** Tags sent with each event. */
  monitoring_tags?: string;

  /** Service name sent with each event. */
  service?: string;

  /** The site to send events to. Default: `datadoghq.com`. */
  monitoring_site?: string;
}

/** The fields of `webhook`. */
export interface EventDestinationTargetWebhookReplace {
  /** Where each event is sent to, in a request of its own: an address that begins with `https://` and is on the internet; others need a server with `--allow-private-targets`. Redirects are not followed. */
  url: string;

  /** Signs each request as Standard Webhooks says: `whsec_` and 24 to 64 bytes in base64. Left out, the server makes one, and a change that leaves it out keeps the one that is stored. Secret. */
  secret?: string;

  /** Headers to send with each event, by name, at most 20; their values are secret. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade, and none that begins with `content-` or `webhook-`. Secret. */
  headers?: Record<string, string>;
}

/** Exactly one of `stream_service`, `delivery_service`, `log_service`, `monitoring_service`, `webhook`. A change replaces the target as a whole. */
export interface EventDestinationTargetReplace {
  /** A delivery stream (Data Firehose). */
  delivery_service?: EventDestinationTargetDeliveryServiceReplace | null;

  /** A stream (Kinesis Data Streams). */
  stream_service?: EventDestinationTargetStreamServiceReplace | null;

  /** A log group (CloudWatch Logs). */
  log_service?: EventDestinationTargetLogServiceReplace | null;

  /** A monitoring service (Datadog logs intake). */
  monitoring_service?: EventDestinationTargetMonitoringServiceReplace | null;

  /** A service of your own, or anybody's, that takes signed webhooks. */
  webhook?: EventDestinationTargetWebhookReplace | null;
}

/** The body that creates an event destination. */
export interface EventDestinationCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The format of events. Default `"json"`. */
  format?: "json";

  /** Exactly one of `stream_service`, `delivery_service`, `log_service`, `monitoring_service`, `webhook`. A change replaces the target as a whole. */
  target: EventDestinationTargetReplace;
}

/** The body that updates an event destination; fields left out stay as they are. */
export type EventDestinationUpdate = Partial<EventDestinationCreate>;
