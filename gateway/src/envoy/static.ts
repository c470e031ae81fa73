import { isObject } from "@tunnelplane/sdk/contract";
import { FROM_GATEWAY, type Json } from "./json";
import { byName, toChain } from "./matchers";
import type { Configuration } from "./model";
import type { Part } from "./part";

/** The same message with its routes in it. @param routes in which it finds them by name */
function withRoutes<Message>(message: Message, routes: ReadonlyMap<unknown, Json>): Message {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    if (!isObject(value)) return value;
    const { rds, ...others } = value;
    const all = Object.entries(others).map(([key, one]) => [key, inside(one)]);
    const own = isObject(rds) ? [["route_config", routes.get(rds.route_config_name)]] : [];
    return Object.fromEntries([...all, ...own]);
  };
  return inside(message) as Message;
}

const named = (messages: readonly Json[]): ReadonlyMap<unknown, Json> =>
  new Map(messages.map((one) => [one.name, one]));

/** A configuration for the `static_resources` of an Envoy that asks nobody. */
export function statically({ listeners, clusters, routes, secrets }: Configuration): Json {
  const inside = withRoutes(listeners, named(routes));
  // Without a source, Envoy finds a secret among those of its bootstrap.
  const text = JSON.stringify({ listeners: inside, clusters, secrets });
  return JSON.parse(text.replaceAll(`,"sds_config":${JSON.stringify(FROM_GATEWAY)}`, ""));
}

export const PROBE = "probe ";

/**
 * An edge's chains in a listener of their own that no address reaches, with which Envoy is asked about
 * them.
 */
export function probeOf({ id, chains, listeners, routes }: Part): Json {
  const own = listeners.flatMap(({ filter_chains }) => filter_chains as readonly Json[]);
  const all = [...chains.map(({ chain }) => chain), ...own].map((chain, index) => ({
    ...withRoutes(chain, named(routes)),
    name: `chain ${index}`,
  }));
  return {
    name: `${PROBE}${id}`,
    internal_listener: {},
    filter_chains: all,
    filter_chain_matcher: byName(all.map(({ name }) => ({ host: name, to: toChain(name) }))),
  };
}
