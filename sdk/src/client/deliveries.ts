import type { EventDelivery, EventDestinationTest } from "./generated";
import type { Transport } from "./transport";

/** Lists, tests and replays deliveries to event destinations. */
export class Deliveries {
  constructor(private readonly transport: Transport) {}

  /** The deliveries to a destination, newest event first; requests the next page when it is needed. */
  list(
    destinationId: string,
    { status }: { readonly status?: EventDelivery["status"] } = {},
  ): AsyncGenerator<EventDelivery> {
    return this.transport.list(`${pathOf(destinationId)}/deliveries`, "deliveries", { status });
  }

  /** Sends a test event now, once. */
  async test(destinationId: string): Promise<EventDestinationTest> {
    return (await this.transport.request<EventDestinationTest>("POST", `${pathOf(destinationId)}/test`)).body;
  }

  /**
   * Replays events, each with the id that it had.
   * @param which the dead letters, or all events since a time (RFC 3339) that were delivered or given up
   * @returns how many events are sent again
   */
  async replay(
    destinationId: string,
    which: { readonly dead_letters: true } | { readonly since: string },
  ): Promise<number> {
    return (await this.transport.request<{ count: number }>("POST", `${pathOf(destinationId)}/replay`, which))
      .body.count;
  }
}

const pathOf = (destinationId: string): string => `/event_destinations/${encodeURIComponent(destinationId)}`;
