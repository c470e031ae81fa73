import type { InputLogEvent, RejectedLogEventsInfo } from "@aws-sdk/client-cloudwatch-logs";
import type { EventDestinationTargetLogService } from "@tunnelplane/sdk";
import { arnOf, cloudSettings, LazyClient } from "./cloud";
import { type DeliveryTarget, type Outgoing, type Sent, TargetError, type TargetOptions } from "./target";

/**
 * All servers write to this log stream, and create it if it is missing. Since 2023, requests to one stream
 * need no order.
 */
const STREAM = "tunnelplane";
const MAX_SPAN_MS = 24 * 3600 * 1000;
const OVERHEAD = 26;

/**
 * A log group: CloudWatch Logs, PutLogEvents.
 * https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html
 */
export function openLogService(
  { log_group_ref, auth }: EventDestinationTargetLogService,
  options: TargetOptions,
): DeliveryTarget {
  const { region, name } = arnOf("logGroup", log_group_ref);
  const where = { logGroupName: name, logStreamName: STREAM };
  const logs = new LazyClient(async () => {
    const { CloudWatchLogs } = await import("@aws-sdk/client-cloudwatch-logs");
    return new CloudWatchLogs(await cloudSettings("log_service", region, auth, options));
  });

  const put = (events: InputLogEvent[], abortSignal: AbortSignal): Promise<Sent[]> =>
    logs.use(async (client) => {
      const write = () => client.putLogEvents({ ...where, logEvents: events }, { abortSignal });
      const answer = await write().catch(async (error: Error) => {
        if (error.name !== "ResourceNotFoundException") throw error;
        await client.createLogStream(where, { abortSignal }).catch((failure: Error) => {
          if (failure.name !== "ResourceAlreadyExistsException") throw failure;
        });
        return write();
      });
      return events.map((_, index) => outcome(index, answer.rejectedLogEventsInfo));
    });

  return {
    limits: { count: 10_000, bytes: 1024 * 1024, recordBytes: 1024 * 1024 },
    atomic: true,
    sizeOf: ({ body }: Outgoing) => Buffer.byteLength(body) + OVERHEAD,
    async send(batch, signal) {
      const sent: Sent[] = [];
      for (const events of spans(batch)) {
        try {
          sent.push(...(await put(events, signal)));
        } catch (error) {
          if (sent.length === 0 || !(error instanceof TargetError)) throw error;
          const { message, throttled } = error;
          return batch.map((_, index) => sent[index] ?? { ok: false, error: message, throttled });
        }
      }
      return sent;
    },
    close: () => logs.close(),
  };
}

/**
 * Splits a batch into parts that the service takes in one request: ordered by time, no more than a day.
 * Clocks of servers differ. An event that seems older than the one before it gets that one's time, to keep
 * their order.
 */
function spans(batch: readonly Outgoing[]): InputLogEvent[][] {
  const parts: InputLogEvent[][] = [];
  let part: InputLogEvent[] = [];
  let first = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  for (const { time, body } of batch) {
    latest = Math.max(latest, Date.parse(time));
    if (latest - first >= MAX_SPAN_MS) {
      part = [];
      parts.push(part);
      first = latest;
    }
    part.push({ timestamp: latest, message: body });
  }
  return parts;
}

/**
 * Reads the result of one event. The answer names the index where too old events end, and where too new ones
 * begin.
 */
function outcome(index: number, rejected: RejectedLogEventsInfo = {}): Sent {
  const {
    expiredLogEventEndIndex = 0,
    tooOldLogEventEndIndex = 0,
    tooNewLogEventStartIndex = Number.POSITIVE_INFINITY,
  } = rejected;
  const never = (error: string): Sent => ({ ok: false, error, permanent: true });
  if (index < expiredLogEventEndIndex) return never("is older than the log group keeps events");
  if (index < tooOldLogEventEndIndex) return never("is older than 14 days, which the service does not take");
  if (index >= tooNewLogEventStartIndex)
    return never("is more than 2 hours in the future by the service's clock");
  return { ok: true };
}
