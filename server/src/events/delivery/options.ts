import type { DestinationsOptions } from "../destinations";

export interface DispatcherOptions extends DestinationsOptions {
  /** The base address for the addresses in events. */
  readonly address: () => string;
  readonly logger: { error(details: object, message: string): void };
  /** Default: the clock. */
  readonly now?: () => Date;
  /** From 0 up to 1. Default: Math.random. */
  readonly random?: () => number;
}
