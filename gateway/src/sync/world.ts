import { encode, field } from "../ads/encode";
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
const FILTER = "envoy.config.listener.v3.Filter";
const ON_MATCH = "xds.type.matcher.v3.Matcher.OnMatch";
/**
 * The numbers of fields: of a listener, of a chain, and then of a matcher, its tree, its map and the map's
 * entries.
 */
const FILTERS = 3;
const [CHAINS, MATCHER, TREE, MAP, ENTRY, KEY, VALUE] = [3, 32, 2, 2, 1, 1, 2];

/**
 * A listener is put together from the bytes of its chains and names: Envoy reads parts of a message as
 * one.
 */
function listenerOf({ filter_chains, filter_chain_matcher, ...rest }: Json): Resource {
  const chains = (filter_chains as readonly Json[]).map(
    (chain) => once(chain, () => resource(String(chain.name), field(CHAINS, chainOf(chain)))).bytes,
  );
  const { matcher_tree: tree, ...others } = (filter_chain_matcher ?? {}) as { readonly matcher_tree?: Json };
  const names = tree?.exact_match_map as { readonly map: Readonly<Record<string, Json>> } | undefined;
  const matcher = names
    ? { ...others, matcher_tree: { ...tree, exact_match_map: {} } }
    : filter_chain_matcher;
  const entries = Object.entries(names?.map ?? {}).map(([name, to]) => entryOf(name, to));
  return resource(
    String(rest.name),
    Buffer.concat([
      encode(TYPES.listener, { ...rest, filter_chain_matcher: matcher }),
      ...chains,
      ...(names ? [field(MATCHER, field(TREE, field(MAP, Buffer.concat(entries))))] : []),
    ]),
  );
}

/** The chains of an edge have the same filters, which are the largest part of each. */
const chainOf = ({ filters, ...rest }: Json): Uint8Array =>
  Buffer.concat([
    encode(CHAIN, rest),
    ...(filters as readonly Json[]).map(
      (filter) =>
        once(filter, () => resource(String(filter.name), field(FILTERS, encode(FILTER, filter)))).bytes,
    ),
  ]);

/** Where connections for a name go; each name has a message of its own. */
const entryOf = (name: string, to: Json): Uint8Array =>
  once(to, () => {
    const value = field(VALUE, encode(ON_MATCH, to));
    return resource(name, field(ENTRY, Buffer.concat([field(KEY, Buffer.from(name)), value])));
  }).bytes;
