import type { Hostport } from "./hostports";
import type { Json } from "./json";
import type { OnMatch } from "./matchers";
import type { EdgeState } from "./model";

/** What an edge brings into Envoy's configuration. */
export interface Part extends EdgeState {
  readonly hostports: readonly Served[];
  /** The chains of its connections at the ports of TLS. */
  readonly chains: readonly { readonly port: number; readonly chain: Chain }[];
  /** Of TCP ports, and inside of Envoy. */
  readonly listeners: readonly Json[];
  readonly routes: readonly Json[];
  readonly clusters: readonly Json[];
  readonly secrets: readonly Json[];
}

export interface Served extends Hostport {
  /**
   * Where its connections go: those that come as most do, and, if there are such, those through a
   * balancer.
   */
  readonly to: readonly OnMatch[];
}

export interface Chain extends Json {
  readonly name: string;
}

/** Takes connections and closes them. */
export const NOT_SERVED = "not served";
