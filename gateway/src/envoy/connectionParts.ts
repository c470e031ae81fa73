import { arrivalsBy, closing } from "./arrivals";
import { inBothForms } from "./balancers";
import type { By } from "./callerHeaders";
import type { Gate } from "./gate";
import type { Hostport } from "./hostports";
import { extension, type Json } from "./json";
import {
  addresses,
  COMMON,
  connectionLogs,
  listenerName,
  MAX_PER_PORT,
  matchedBy,
  receiving,
} from "./listeners";
import { byNetwork, byOffer, type OnMatch, toChain } from "./matchers";
import { type Environment, markOf } from "./model";
import type { Chain, Part } from "./part";
import { REFUSED_CHAIN, TLS_CHAIN } from "./recording";
import { offered } from "./speech";
import type { Passage } from "./tcpChain";
import { HANDSHAKE } from "./tls";

/** The chain of those who are admitted, and the one of all others, who find nothing. */
function gated(
  { gate, filters, refusing }: Passage,
  names: readonly [admitted: string, refused: string],
  more: Json,
  before: readonly Json[],
): Chain[] {
  const chain = (name: string, own: readonly Json[]): Chain => ({
    name,
    filters: [...before, ...own],
    ...more,
  });
  if (!gate) return [chain(names[0], filters)];
  return [...(gate.admitted.length > 0 ? [chain(names[0], filters)] : []), chain(names[1], refusing)];
}

/** Finds the chain for a caller's address. */
function gate(
  found: Gate | undefined,
  [admitted, refused]: readonly [admitted: string, refused: string],
  by: By,
): OnMatch {
  if (!found) return toChain(admitted);
  const ranges = (networks: readonly string[]) =>
    by === "proxy protocol" ? inBothForms(networks) : networks;
  const to = (name: string, networks: readonly string[]) => ({ ranges: ranges(networks), to: toChain(name) });
  return {
    matcher: byNetwork(
      "SourceIPInput",
      [to(admitted, found.admitted), to(refused, found.refused)],
      toChain(refused),
    ),
  };
}

/** A hostport of a TLS edge that was understood. */
interface TlsFront {
  readonly hostport: Hostport;
  /** TLS with one protocol to agree on; undefined where TLS ends upstream. */
  readonly transport: ((protocol: string) => Json) | undefined;
  readonly passage: Passage;
}

export function tlsPart(
  edge: string,
  fronts: readonly TlsFront[],
  environment: Pick<Environment, "balancers" | "marks">,
): Pick<Part, "hostports" | "chains"> {
  const arrivals = arrivalsBy(environment.balancers);
  const mark = markOf(environment, edge);
  const all = fronts.map(({ hostport, transport, passage }) => {
    const ways = (transport ? offered(passage.protocol) : [""]).map((protocol) => {
      const end = `${hostport.host}${protocol === "h2" ? " h2" : ""}${mark}`;
      const names = [`${TLS_CHAIN}${end}`, `${REFUSED_CHAIN}${end}`] as const;
      const more = {
        transport_socket: transport?.(protocol),
        transport_socket_connect_timeout: transport && HANDSHAKE,
      };
      return {
        protocol,
        to: gate(passage.gate, names, arrivals[0].by),
        chains: gated(passage, names, more, closing(arrivals[0])),
      };
    });
    return {
      hostport: { ...hostport, to: arrivals.map(() => byOffer(ways)) },
      chains: ways.flatMap(({ chains }) => chains.map((chain) => ({ port: hostport.port, chain }))),
    };
  });
  return { hostports: all.map(({ hostport }) => hostport), chains: all.flatMap(({ chains }) => chains) };
}

const LIMIT = extension(
  "limit of the port",
  "envoy.extensions.filters.network.connection_limit.v3.ConnectionLimit",
  { stat_prefix: "limit_of_port", max_connections: MAX_PER_PORT },
);

/** Connections say no name, so all of the port is one edge's. */
export function tcpListener(
  edge: string,
  { port }: Hostport,
  passage: Passage,
  environment: Pick<Environment, "tcpListen" | "balancers" | "marks" | "counting">,
): Json {
  const { tcpListen = [], balancers, counting } = environment;
  const mark = markOf(environment, edge);
  const names = [`admitted${mark}`, `refused${mark}`] as const;
  const [arrival] = arrivalsBy(balancers);
  const found = gate(passage.gate, names, arrival.by);
  return {
    name: `tcp ${listenerName(port)}`,
    ...addresses(tcpListen.filter((one) => one.port === port)),
    ...COMMON,
    listener_filters: receiving(balancers),
    filter_chains: gated(passage, names, {}, [...closing(arrival), LIMIT]),
    filter_chain_matcher: matchedBy([arrival], [found]),
    access_log: connectionLogs(port, { counting }),
  };
}
