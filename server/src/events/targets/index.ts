import type { EventDestinationTarget } from "@tunnelplane/sdk";
import { type EventTarget, eventTargets, present } from "@tunnelplane/sdk/contract";
import { openDeliveryService } from "./deliveryService";
import { sendInHalves } from "./halving";
import { openLogService } from "./logService";
import { type Mask, maskOf } from "./mask";
import type * as MonitoringService from "./monitoringService";
import { openStreamService } from "./streamService";
import { type DeliveryTarget, type Outgoing, type Sent, TargetError, type TargetOptions } from "./target";
import type * as Webhook from "./webhook";

export type { DeliveryTarget, Outgoing, TargetOptions } from "./target";
export { TargetError } from "./target";

const TIMEOUT_MS = 30_000;

/** How each kind of target is opened. */
const OPEN: {
  readonly [K in EventTarget]: (
    fields: NonNullable<EventDestinationTarget[K]>,
    options: TargetOptions,
  ) => DeliveryTarget;
} = {
  stream_service: openStreamService,
  delivery_service: openDeliveryService,
  log_service: openLogService,
  monitoring_service(fields, options) {
    // On first use, because its HTTP client takes a tenth of a server's start to load.
    const { openMonitoringService }: typeof MonitoringService = require("./monitoringService");
    return openMonitoringService(fields, options);
  },
  webhook(fields, options) {
    const { openWebhook }: typeof Webhook = require("./webhook"); // as above
    return openWebhook(fields, options);
  },
};

/**
 * Opens the target of an event destination. Nothing is connected before the first batch.
 * @throws TargetError when its address is invalid
 */
export function openTarget(target: EventDestinationTarget, options: TargetOptions = {}): DeliveryTarget {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const service = openService(target, { ...options, timeoutMs });
  const clean = maskOf(target);
  return {
    ...service,
    async send(batch, signal) {
      const refused = batch.map((event) => tooLarge(service, event));
      const fitting = batch.filter((_, index) => !refused[index]);
      const sent = fitting.length > 0 ? await sendInTime(service, fitting, signal, timeoutMs, clean) : [];
      let next = 0;
      return refused.map((refusal) => refusal ?? present(sent[next++]));
    },
  };
}

function openService(target: EventDestinationTarget, options: TargetOptions): DeliveryTarget {
  for (const kind of eventTargets()) {
    const service = openAs(kind, target, options);
    if (service) return service;
  }
  throw new TargetError("cannot be found: the destination has no target");
}

function openAs<K extends EventTarget>(
  kind: K,
  { [kind]: fields }: EventDestinationTarget,
  options: TargetOptions,
): DeliveryTarget | undefined {
  return fields ? OPEN[kind](fields, options) : undefined;
}

function tooLarge({ limits, sizeOf }: DeliveryTarget, event: Outgoing): Sent | undefined {
  const size = sizeOf(event);
  if (size <= limits.recordBytes) return undefined;
  return {
    ok: false,
    error: `has ${size} bytes; the service takes at most ${limits.recordBytes}`,
    permanent: true,
  };
}

async function sendInTime(
  service: DeliveryTarget,
  batch: readonly Outgoing[],
  signal: AbortSignal,
  timeoutMs: number,
  clean: Mask,
) {
  signal.throwIfAborted();
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const sent = await sendInHalves(service, batch, AbortSignal.any([signal, late]));
    return sent.map((one) => (one.ok ? one : { ...one, error: clean(one.error) }));
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new TargetError(`gave no answer within ${timeoutMs / 1000} s`);
    if (error instanceof TargetError) throw new TargetError(clean(error.message), error);
    throw error;
  }
}
