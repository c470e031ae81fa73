import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpsEdgeRouteCreate } from "@tunnelplane/sdk";
import { messageOf } from "@tunnelplane/sdk/contract";
import type { Configuration } from "../../../gateway/dist";
import { sshKey } from "../../../tests/support/api/fixtures";
import { EnvoyProcess } from "../../../tests/support/envoy";
import { freePort } from "../../../tests/support/ports";
import { LoadGenerator } from "../load";
import type { LoadResult } from "../load/job";
import { cpuSeconds } from "../processes";
import { medianBy, ratio, type Section } from "../report/section";
import type { Settings } from "../settings";
import { type Frp, startFrp } from "./frp";
import { agent } from "./tunnels";
import { GatewayWorld, statusAt } from "./world";

const CONNECTIONS = 16;
const KIBIBYTE = Buffer.alloc(1024, 0x61);
const HOST = "app.example.com";
const CHECKED = "checked.example.com";
const BEHIND = "behind.example.com";
const EDGE = "an edge";
/** What a gateway tells of requests: nothing at all, more than by default, everything. */
const FLAGS = [
  ["--hostport-metrics", "false"],
  ["--access-log", "/dev/null"],
  ["--record-traffic", "1d"],
] as const;

/** Requests through an edge, beside an Envoy whose configuration somebody wrote for this one host. */
export async function measureTraffic({ rounds, warmUp, seconds, peers }: Settings): Promise<Section[]> {
  const world = await GatewayWorld.start();
  const others: { readonly world: GatewayWorld; readonly flags: readonly string[] }[] = [];
  for (const flags of FLAGS) others.push({ world: await GatewayWorld.start(), flags });
  const worlds = [world, ...others.map((other) => other.world)];
  const upstream = createServer((_, response) => response.end(KIBIBYTE));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const address = upstream.address() as AddressInfo;
  const generator = new LoadGenerator();
  const byHand = await EnvoyProcess.start();
  let client: ChildProcess | undefined;
  let frp: Frp | undefined;
  try {
    for (const one of worlds) await declareSites(one, address.port);
    await world.serve();
    for (const other of others) await other.world.serve(...other.flags);
    for (const one of worlds) await one.until(CHECKED, 200);
    client = await declareAgent(world, address.port);
    if (peers) {
      frp = await startFrp(world, HOST, address.port).catch(
        (error) => void console.error(`frp is not measured: ${messageOf(error)}`),
      );
      while (frp && (await statusAt(frp.port, HOST, world.own.pem)) !== 200) await sleep(20);
    }
    const port = await freePort();
    await byHand.push(written(port, address.port, world.folder));
    const contenders = [
      {
        name: "Envoy, written by hand",
        port,
        host: HOST,
        ca: world.own.pem,
        envoy: [byHand.pid],
        gateway: [],
      },
      through(world, EDGE, HOST),
      through(world, "an edge with ip_restriction and user_agent_filter", CHECKED),
      through(world, "an edge, with an agent before the program", BEHIND),
      ...others.map((other) => through(other.world, `an edge, with \`${other.flags.join(" ")}\``, HOST)),
      ...(frp
        ? [{ name: "frp", port: frp.port, host: HOST, ca: world.own.pem, envoy: [], gateway: [frp.pid] }]
        : []),
    ];
    const measured = new Map<string, Measured[]>();
    for (let round = 0; round < rounds * 2; round++) {
      for (const contender of round % 2 ? contenders.toReversed() : contenders) {
        const before = processorTimes(contender);
        const result = await generator.run({
          urls: [`https://127.0.0.1:${contender.port}`],
          headers: { host: contender.host },
          tls: { ca: contender.ca, servername: contender.host },
          shots: [{ method: "GET", path: "/" }],
          connections: CONNECTIONS,
          warmUp,
          seconds,
          pids: [],
        });
        if (result.errors > 0) throw new Error(`${result.errors} requests failed through ${contender.name}`);
        const after = processorTimes(contender);
        const each = (part: "envoy" | "gateway") => ((after[part] - before[part]) / result.sent) * 1e6;
        const one = { ...result, envoy: each("envoy"), gateway: each("gateway") };
        measured.set(contender.name, [...(measured.get(contender.name) ?? []), one]);
      }
    }
    const speedOf = (name: string) => medianBy(measured.get(name) ?? [], (one) => one.perSecond).perSecond;
    const [floor, edge] = [speedOf("Envoy, written by hand"), speedOf(EDGE)];
    const rows = [...measured].map(([through, results]) => {
      const { perSecond, p50, p99 } = medianBy(results, (one) => one.perSecond);
      return {
        through,
        perSecond: Math.round(perSecond),
        p50,
        p99,
        ratio: ratio(perSecond, floor),
        toEdge: ratio(perSecond, edge),
        envoy: medianBy(results, (one) => one.envoy).envoy,
        gateway: medianBy(results, (one) => one.gateway).gateway,
      };
    });
    return [
      {
        part: "gateway",
        title: "Requests through Envoy",
        note: `HTTPS over ${CONNECTIONS} kept connections to a program on the same machine that answers 1 KiB, Envoy with one worker; by hand: TLS, one route, one cluster and nothing else; frp: its client ends TLS, processor time of its server.`,
        columns: {
          through: "Through",
          perSecond: "Requests/s",
          p50: "p50 (ms)",
          p99: "p99 (ms)",
          ratio: "of by hand",
          toEdge: "of an edge",
          envoy: "CPU µs of Envoy",
          gateway: "of the gateway",
        },
        rows,
      },
    ];
  } finally {
    client?.kill("SIGKILL");
    frp?.stop();
    generator.stop();
    await byHand.stop();
    upstream.closeAllConnections();
    upstream.close();
    for (const one of worlds) await one.stop();
  }
}

/** Where requests go, and whose processor time is measured. */
interface Contender {
  readonly name: string;
  readonly port: number;
  readonly host: string;
  readonly ca: string;
  readonly envoy: readonly number[];
  readonly gateway: readonly number[];
}

/** Processor time in microseconds for each request, warm-up included. */
interface Measured extends Pick<LoadResult, "perSecond" | "p50" | "p99"> {
  readonly envoy: number;
  readonly gateway: number;
}

const through = ({ port, own, pids }: GatewayWorld, name: string, host: string): Contender => ({
  name,
  port,
  host,
  ca: own.pem,
  envoy: pids.envoy,
  gateway: [pids.gateway],
});

const processorTimes = ({ envoy, gateway }: Contender) => ({
  envoy: cpuSeconds(envoy) ?? Number.NaN,
  gateway: cpuSeconds(gateway) ?? Number.NaN,
});

/** The site that is measured, and the same with checks. */
async function declareSites(world: GatewayWorld, port: number): Promise<void> {
  const policy = await world.api.ipPolicies.create({});
  await world.api.ipPolicyRules.create({ ip_policy_id: policy.id, cidr: "127.0.0.0/8", action: "allow" });
  const backend = await world.api.staticBackends.create({ address: `127.0.0.1:${port}` });
  await site(world, HOST, backend.id);
  await site(world, CHECKED, backend.id, {
    ip_restriction: { ip_policy_ids: [policy.id] },
    user_agent_filter: { deny: ["bot"] },
  });
}

/** The same program behind an agent. */
async function declareAgent(world: GatewayWorld, port: number): Promise<ChildProcess> {
  const key = sshKey();
  writeFileSync(join(world.folder, "id"), key.privateKey, { mode: 0o600 });
  await world.api.sshCredentials.create({ public_key: key.openssh });
  const group = await world.api.tunnelGroupBackends.create({ labels: { bench: "requests" } });
  await site(world, BEHIND, group.id);
  const bind = `bench=requests:443:127.0.0.1:${port}`;
  await world.until(BEHIND, 503); // the gateway knows it
  const client = agent(world, ["-p", String(world.ssh), "-R", bind, "any@127.0.0.1"]);
  await world.until(BEHIND, 200);
  return client;
}

async function site(
  { api }: GatewayWorld,
  host: string,
  backend_id: string,
  modules: Partial<HttpsEdgeRouteCreate> = {},
): Promise<void> {
  const edge = await api.httpsEdges.create({ hostports: [`${host}:443`] });
  await api
    .httpsEdgeRoutes(edge.id)
    .create({ match_type: "path_prefix", match: "/", backend: { backend_id }, ...modules });
}

const typed = (type: string, fields: object = {}) => ({ "@type": `type.googleapis.com/${type}`, ...fields });
const EXTENSIONS = "envoy.extensions";

/** The configuration that one would write by hand for TLS and one upstream. */
function written(port: number, upstream: number, folder: string): Configuration {
  const file = (name: string) => ({ filename: join(folder, name) });
  const endpoint = {
    endpoint: { address: { socket_address: { address: "127.0.0.1", port_value: upstream } } },
  };
  const cluster = {
    name: "up",
    type: "STATIC",
    connect_timeout: "5s",
    load_assignment: { cluster_name: "up", endpoints: [{ lb_endpoints: [endpoint] }] },
  };
  const manager = typed(`${EXTENSIONS}.filters.network.http_connection_manager.v3.HttpConnectionManager`, {
    stat_prefix: "by_hand",
    route_config: {
      virtual_hosts: [
        { name: "all", domains: ["*"], routes: [{ match: { prefix: "/" }, route: { cluster: "up" } }] },
      ],
    },
    http_filters: [{ name: "router", typed_config: typed(`${EXTENSIONS}.filters.http.router.v3.Router`) }],
  });
  const tls = typed(`${EXTENSIONS}.transport_sockets.tls.v3.DownstreamTlsContext`, {
    common_tls_context: {
      tls_certificates: [{ certificate_chain: file("own.pem"), private_key: file("own.key") }],
    },
  });
  const listener = {
    name: "by hand",
    address: { socket_address: { address: "127.0.0.1", port_value: port } },
    filter_chains: [
      {
        filters: [{ name: "http", typed_config: manager }],
        transport_socket: { name: "tls", typed_config: tls },
      },
    ],
  };
  return {
    listeners: [listener],
    clusters: [cluster],
    routes: [],
    secrets: [],
    edges: [],
    renewAt: undefined,
  } as unknown as Configuration;
}
