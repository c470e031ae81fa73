import type { Provider } from "../envoy/webhooks";

/** Who has to sign the requests of a route, by the route's id. */
export type Rules = ReadonlyMap<string, { readonly provider: Provider; readonly secret: string }>;

/** What the thread that checks signatures is started with. */
export interface ThreadData {
  /** The path of its socket. */
  readonly socket: string;
}
