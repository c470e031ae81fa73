import { channel } from "node:diagnostics_channel";

/** The steps of a change on its way from the server to Envoy, in their order. */
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

/** Tells a benchmark that listens which step was reached, and when (milliseconds since 1970). */
export function reach(step: Step): void {
  if (steps.hasSubscribers) steps.publish({ step, at: performance.timeOrigin + performance.now() });
}
