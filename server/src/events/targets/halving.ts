import { type DeliveryTarget, type Outgoing, type Sent, TargetError } from "./target";

/** So many requests at most find the events of one batch that a service refuses: three of a thousand. */
const MAX_REQUESTS = 64;

/**
 * Sends a batch. Where the service refuses what is in it, it sends the halves, and the halves of those: an
 * event that is refused by itself is refused for good, and holds no other.
 */
export const sendInHalves = (
  service: DeliveryTarget,
  batch: readonly Outgoing[],
  signal: AbortSignal,
): Promise<Sent[]> => {
  let left = MAX_REQUESTS;

  const send = async (part: readonly Outgoing[]): Promise<Sent[]> => {
    try {
      left--;
      return await service.send(part, signal);
    } catch (error) {
      if (!(error instanceof TargetError && error.ofContent)) throw error;
      if (part.length === 1) return [{ ok: false, error: error.message, permanent: true }];
      return left < 2 ? failing(part, error) : halves(part);
    }
  };

  const halves = async (part: readonly Outgoing[]): Promise<Sent[]> => {
    const middle = Math.ceil(part.length / 2);
    const first = await send(part.slice(0, middle));
    const second = part.slice(middle);
    const failed = first.find((one) => !one.ok && !one.permanent);
    // A later event of the same object must not overtake.
    if (failed && service.atomic) return [...first, ...second.map(() => failed)];
    return [...first, ...(await send(second).catch((error: unknown) => failing(second, error)))];
  };

  return send(batch);
};

/** What was accepted before must not be sent again. */
function failing(part: readonly Outgoing[], error: unknown): Sent[] {
  if (!(error instanceof TargetError)) throw error;
  const { message, throttled, retryAfterMs } = error;
  return part.map(() => ({ ok: false, error: message, throttled, retryAfterMs }));
}
