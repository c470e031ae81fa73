import { encode, field, versionOf } from "../ads/encode";
import {
  type Kind,
  type Resource,
  type Resources,
  resource,
  resourceOf,
  TYPES,
  type World,
} from "../ads/resources";
import { FROM_GATEWAY, type Json } from "../envoy/json";
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
  filter: new Map(
    listeners
      .flatMap(({ filter_chains }) => filter_chains as readonly Json[])
      .flatMap(askedIn)
      .map((one) => [one.name, one]),
  ),
  listener: resourcesOf("listener", listeners),
});

const CHAIN = "envoy.config.listener.v3.FilterChain";
const ON_MATCH = "xds.type.matcher.v3.Matcher.OnMatch";
/**
 * The numbers of fields: of a filter that has a name, of a listener, and then of a matcher, its tree, its map
 * and the map's entries.
 */
const NAME = 1;
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

const filtersOf = (chain: Json): readonly Json[] => chain.filters as readonly Json[];

/** Whether Envoy asks for a filter by name, as it does for the routes of that filter. */
const isAsked = ({ typed_config: config }: Json): boolean => (config as Json | undefined)?.rds !== undefined;

/** The filters of a chain for which Envoy asks by name. */
export const askedIn = (chain: Json): Resource[] => filtersOf(chain).filter(isAsked).map(askedOf);

/**
 * The name follows from the content, so that a chain changes if this does. With all chains of a port Envoy
 * reads and compares what is in them at each change, which with their filters took seven times as long.
 */
const askedOf = (filter: Json): Resource =>
  once(filter, () => {
    const config = encode(TYPES.filter, { typed_config: filter.typed_config });
    const name = `${filter.name} ${versionOf(config)}`;
    return resource(name, Buffer.concat([field(NAME, Buffer.from(name)), config]));
  });

const chainOf = (chain: Json): Uint8Array => encode(CHAIN, asking(chain));

/** A chain as Envoy gets it. */
export const asking = (chain: Json): Json => ({
  ...chain,
  filters: filtersOf(chain).map((one) => (isAsked(one) ? naming(one) : one)),
});

const naming = (filter: Json): Json => ({
  name: askedOf(filter).name,
  config_discovery: {
    config_source: FROM_GATEWAY,
    type_urls: [(filter.typed_config as Json)["@type"]],
  },
});

/** Where connections for a name go; each name has a message of its own. */
const entryOf = (name: string, to: Json): Uint8Array =>
  once(to, () => {
    const value = field(VALUE, encode(ON_MATCH, to));
    return resource(name, field(ENTRY, Buffer.concat([field(KEY, Buffer.from(name)), value])));
  }).bytes;
