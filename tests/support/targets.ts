import type { EventDestinationTarget } from "@tunnelplane/sdk";
import type { DeliveryTarget, Outgoing, TargetOptions } from "../../server/src/events/targets";
import { openTarget, TargetError } from "../../server/src/events/targets";

const NONE: EventDestinationTarget = {
  stream_service: null,
  delivery_service: null,
  log_service: null,
  monitoring_service: null,
  webhook: null,
};

export const KEYS = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG" };
export const REGION = "eu-west-1";
export const arn = (service: string, resource: string): string =>
  `arn:aws:${service}:${REGION}:123456789012:${resource}`;

const creds = (keys = KEYS) => ({
  role: null,
  creds: { cloud_access_key_id: keys.accessKeyId, cloud_secret_access_key: keys.secretAccessKey },
});
export const role = { role: { role_ref: "arn:aws:iam::123456789012:role/events" }, creds: null };

/** A target of each kind in the cloud, with made-up keys. */
export const inTheCloud = (auth: ReturnType<typeof creds> | typeof role = creds()) => ({
  stream_service: { ...NONE, stream_service: { auth, stream_ref: arn("kinesis", "stream/events") } },
  delivery_service: {
    ...NONE,
    delivery_service: { auth, delivery_stream_ref: arn("firehose", "deliverystream/events") },
  },
  log_service: { ...NONE, log_service: { auth, log_group_ref: arn("logs", "log-group:events") } },
});

export const monitoring = (
  fields: Partial<NonNullable<EventDestinationTarget["monitoring_service"]>> = {},
): EventDestinationTarget => ({
  ...NONE,
  monitoring_service: {
    ...{ api_key: "key-of-the-monitoring", monitoring_tags: "env:test", service: "tunnels" },
    ...{ monitoring_site: "", ...fields },
  },
});

/** A webhook at an address. */
export const webhook = (
  url: string,
  fields: Partial<NonNullable<EventDestinationTarget["webhook"]>> = {},
): EventDestinationTarget => ({
  ...NONE,
  webhook: { url, secret: `whsec_${Buffer.alloc(32, "k").toString("base64")}`, headers: {}, ...fields },
});

let last = 0;

/** An event of now, whose text has more bytes than characters, so that tests see which are counted. */
export function event(fields: Partial<Outgoing> = {}): Outgoing {
  const id = `ev_${++last}`;
  return {
    ...{ id, key: "ipp_1", time: new Date().toISOString() },
    ...{ body: JSON.stringify({ event_id: id, text: "Grüße" }), ...fields },
  };
}

/** Sends to a target, and closes it afterwards. */
export async function sendOnce(
  target: EventDestinationTarget,
  batch: readonly Outgoing[],
  options: TargetOptions,
  signal = forever(),
) {
  const opened = openTarget(target, options);
  try {
    return await opened.send(batch, signal);
  } finally {
    opened.close();
  }
}

export const forever = (): AbortSignal => new AbortController().signal;

export async function failureOf(sending: Promise<unknown>): Promise<TargetError> {
  const error = await sending.then(
    () => new Error("it was accepted"),
    (reason) => reason,
  );
  if (error instanceof TargetError) return error;
  throw error;
}

/** An event of exactly so many bytes. */
export function eventOfSize(target: DeliveryTarget, bytes: number): Outgoing {
  const empty = event({ body: "" });
  return { ...empty, body: "x".repeat(bytes - target.sizeOf(empty)) };
}
