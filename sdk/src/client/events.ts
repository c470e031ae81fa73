import type { Event } from "./generated";
import { queryText, type RequestOptions, type Transport } from "./transport";

/** The changes of objects, for admins and gateways. */
export class Events {
  constructor(private readonly transport: Transport) {}

  /** The newest events, the newest first; at most 100. */
  async newest(count = 1): Promise<readonly Event[]> {
    return this.#page({ limit: count });
  }

  /**
   * The events after an event, oldest first, at most 100. If there are none yet, waits for one; returns an
   * empty list when the time is over.
   * @param after the id of the event; undefined to begin with the oldest one
   * @param waitSeconds at most 30; the transport's `timeoutMs` has to be longer
   * @throws BadRequestError if events in between were pruned; then read all objects again
   */
  async after(
    after: string | undefined,
    waitSeconds: number,
    options: Pick<RequestOptions, "signal"> = {},
  ): Promise<readonly Event[]> {
    return this.#page({ after_id: after, wait: waitSeconds }, options);
  }

  async #page(
    query: Parameters<typeof queryText>[0],
    options: RequestOptions = {},
  ): Promise<readonly Event[]> {
    const path = `/events?${queryText(query)}`;
    const answer = await this.transport.request<{ events: Event[] }>("GET", path, undefined, options);
    return answer.body.events;
  }
}
