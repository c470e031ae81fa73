import { closingLocal } from "./balancers";
import type { By } from "./callerHeaders";
import type { Json } from "./json";
import type { Balancers } from "./model";

/** A chain's callers: those who connect from these networks; or without networks, everybody else. */
export interface Arrivals {
  readonly only: readonly string[];
  readonly by: By;
}

/** TLS edges use the first one, because they do not read X-Forwarded-For. */
export function arrivalsBy(balancers: Balancers | undefined): readonly [Arrivals, ...Arrivals[]] {
  if (balancers?.proxyProtocol) return [{ only: balancers.networks, by: "proxy protocol" }];
  const anybody: Arrivals = { only: [], by: "connection" };
  return balancers ? [anybody, { only: balancers.networks, by: "forwarded" }] : [anybody];
}

/** Closes connections that a balancer makes by itself, as for a health check, before any other filter. */
export const closing = ({ by }: Arrivals): Json[] => (by === "proxy protocol" ? [closingLocal()] : []);
