import type { Json } from "../envoy/json";
import { encode, versionOf } from "./encode";

/** What Envoy gets, in the order in which it needs it. */
export const TYPES = {
  cluster: "envoy.config.cluster.v3.Cluster",
  secret: "envoy.extensions.transport_sockets.tls.v3.Secret",
  route: "envoy.config.route.v3.RouteConfiguration",
  filter: "envoy.config.core.v3.TypedExtensionConfig",
  listener: "envoy.config.listener.v3.Listener",
} as const;
export type Kind = keyof typeof TYPES;
export const KINDS = Object.keys(TYPES) as readonly Kind[];

const URL_START = "type.googleapis.com/";
export const urlOf = (kind: Kind): string => `${URL_START}${TYPES[kind]}`;
export const kindOf = (url: string): Kind | undefined => KINDS.find((kind) => urlOf(kind) === url);

export interface Resource {
  readonly name: string;
  /** The same for the same bytes, so that a gateway that starts beside a running Envoy sends nothing anew. */
  readonly version: string;
  readonly bytes: Uint8Array;
}
export type Resources = ReadonlyMap<string, Resource>;
/** All that Envoy shall have, by kind and name. */
export type World = Readonly<Record<Kind, Resources>>;

export const resource = (name: string, bytes: Uint8Array): Resource => ({
  name,
  version: versionOf(bytes),
  bytes,
});

/** @throws naming the field that Envoy does not have, or whose value does not fit it */
export const resourceOf = (kind: Kind, message: Json): Resource =>
  resource(String(message.name), encode(TYPES[kind], message));
