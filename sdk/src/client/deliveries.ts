import type { Paged, Transport } from "./transport";

/** The delivery of an event to a destination. */
export interface EventDelivery {
  /** The event; the same on every attempt. */
  readonly event_id: string;
  readonly event_type: string;
  /** The id of the changed object. Events of one object arrive in order. */
  readonly object_id: string;
  /** The time of the change (RFC 3339). */
  readonly event_timestamp: string;
  /** `dead` when it was given up: refused for good, or for 24 hours. */
  readonly status: "pending" | "delivered" | "dead";
  /** Number of attempts. */
  readonly attempts: number;
  /** The service's answer to the last attempt, if that failed. */
  readonly last_error: string | null;
  /** Earliest time of the next attempt, while it is pending. */
  readonly due_at: string | null;
  readonly first_attempt_at: string | null;
  readonly last_attempt_at: string | null;
  readonly delivered_at: string | null;
}

/** The result of a test event. */
export interface EventDestinationTest {
  readonly event_id: string;
  readonly ok: boolean;
  /** The service's answer, if it did not accept the event. */
  readonly error: string | null;
}

/** Lists, tests and replays deliveries to event destinations. */
export class Deliveries {
  constructor(private readonly transport: Transport) {}

  /** The deliveries to a destination, newest event first; requests the next page when it is needed. */
  async *list(
    destinationId: string,
    { status }: { readonly status?: EventDelivery["status"] } = {},
  ): AsyncGenerator<EventDelivery> {
    const query = new URLSearchParams(status && { status });
    for await (const page of this.transport.pages<DeliveryPage>(`${pathOf(destinationId)}/deliveries`, query))
      yield* page.deliveries;
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

interface DeliveryPage extends Paged {
  readonly deliveries: EventDelivery[];
}

const pathOf = (destinationId: string): string => `/event_destinations/${encodeURIComponent(destinationId)}`;
