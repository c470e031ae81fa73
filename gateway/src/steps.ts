import { channel } from "node:diagnostics_channel";

/** What a change has behind it, on its way from the server to Envoy, in this order. */
export type Step =
  /** Its objects were read. */
  | "read"
  /** It waits no longer for others. */
  | "begun"
  /** Certificates, addresses, ports and issuers were looked at. */
  | "surroundings"
  | "translated"
  /** Its objects are on the disk. */
  | "kept"
  | "encoded"
  /** Envoy has answered. */
  | "clusters"
  | "secrets"
  | "routes"
  | "filters"
  | "listeners"
  | "served";

const steps = channel("tunnelplane.gateway.step");

/** Tells whoever measures in this process, and costs nothing without. `at` is in milliseconds since 1970. */
export function reach(step: Step): void {
  if (steps.hasSubscribers) steps.publish({ step, at: performance.timeOrigin + performance.now() });
}
