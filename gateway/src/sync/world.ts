import { encode } from "../ads/encode";
import {
  type Kind,
  type Resource,
  type Resources,
  resource,
  resourceOf,
  TYPES,
  type World,
} from "../ads/resources";
import type { Json } from "../envoy/json";
import type { Configuration } from "../envoy/model";

/** Each message is encoded once, however often it is sent. */
const encoded = new WeakMap<Json, Resource>();

function once(message: Json, make: () => Resource): Resource {
  const known = encoded.get(message);
  if (known) return known;
  const made = make();
  encoded.set(message, made);
  return made;
}

export const resourcesOf = (kind: Kind, messages: readonly Json[]): Resources =>
  new Map(
    messages.map((message) => [
      String(message.name),
      once(message, () => (kind === "listener" ? listenerOf(message) : resourceOf(kind, message))),
    ]),
  );

/** A configuration in the form that Envoy reads. @throws naming the field that Envoy does not have */
export const worldOf = ({ clusters, secrets, routes, listeners }: Configuration): World => ({
  cluster: resourcesOf("cluster", clusters),
  secret: resourcesOf("secret", secrets),
  route: resourcesOf("route", routes),
  listener: resourcesOf("listener", listeners),
});

const CHAIN = "envoy.config.listener.v3.FilterChain";
/** The number of `filter_chains` among the fields of a listener. */
const CHAINS_FIELD = 3;

/** A listener is put together from the bytes of its chains. */
function listenerOf({ filter_chains, ...rest }: Json): Resource {
  const chains = (filter_chains as readonly Json[]).map(
    (chain) =>
      once(chain, () => resource(String(chain.name), field(CHAINS_FIELD, encode(CHAIN, chain)))).bytes,
  );
  return resource(String(rest.name), Buffer.concat([encode(TYPES.listener, rest), ...chains]));
}

const LENGTH_DELIMITED = 2;

function field(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint((number << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}
