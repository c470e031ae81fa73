import type { EventDestinationTarget } from "@tunnelplane/sdk";
import { present } from "@tunnelplane/sdk/contract";
import { openDeliveryService } from "./deliveryService";
import { openLogService } from "./logService";
import { type Mask, maskOf } from "./mask";
import type * as MonitoringService from "./monitoringService";
import { openStreamService } from "./streamService";
import { type DeliveryTarget, type Outgoing, type Sent, TargetError, type TargetOptions } from "./target";

export type { DeliveryTarget, Outgoing, TargetOptions } from "./target";
export { TargetError } from "./target";

const TIMEOUT_MS = 30_000;

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
  if (target.stream_service) return openStreamService(target.stream_service, options);
  if (target.delivery_service) return openDeliveryService(target.delivery_service, options);
  if (target.log_service) return openLogService(target.log_service, options);
  if (target.monitoring_service) {
    // On first use, because its HTTP client takes a tenth of a server's start to load.
    const { openMonitoringService }: typeof MonitoringService = require("./monitoringService");
    return openMonitoringService(target.monitoring_service, options);
  }
  throw new TargetError("cannot be found: the destination has no target");
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
    const sent = await service.send(batch, AbortSignal.any([signal, late]));
    return sent.map((one) => (one.ok ? one : { ...one, error: clean(one.error) }));
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new TargetError(`gave no answer within ${timeoutMs / 1000} s`);
    if (error instanceof TargetError) throw new TargetError(clean(error.message), error);
    throw error;
  }
}
