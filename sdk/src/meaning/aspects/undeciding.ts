import type { Aspect } from "./aspect";

/** A module that changes requests or answers, and decides about none: nobody is let in or refused by it. */
export const undeciding = {
  of: { https_edge_route: true },
  prepare: () => undefined,
} satisfies Aspect<"request_headers" | "response_headers" | "compression" | "circuit_breaker">;
