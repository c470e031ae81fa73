import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Configuration, objectsOf, translate } from "../../../gateway/dist";
import { DevelopmentAuthority } from "../../../gateway/dist/certificates/developmentAuthority";
import { backend, httpsEdge, route, SURROUNDINGS, to } from "../../../tests/gateway/worlds";
import { EnvoyProcess } from "../../../tests/support/envoy";
import { freePort } from "../../../tests/support/ports";
import type { Section } from "../report/section";
import type { Settings } from "../settings";
import { GatewayWorld, percentile, statusAt } from "./world";

const MIB = 1024 * 1024;
const round = (value: number, digits = 0) => Math.round(value * 10 ** digits) / 10 ** digits;

/** How soon a change at the server is enforced by Envoy, and how many hostports a gateway bears. */
export async function measureFollowing({ hostports, enforced }: Settings): Promise<Section[]> {
  const changes: Section["rows"][number][] = [];
  const sizes: Section["rows"][number][] = [];
  let steps: Section["rows"] = [];
  const worlds = hostports.flatMap((count) => [false, true].map((own) => ({ count, own })));
  for (const { count, own } of worlds) {
    const world = await GatewayWorld.start();
    try {
      const hosts = await declare(world, count);
      if (own) await certify(world, hosts);
      const started = performance.now();
      await world.serve();
      const start = await world.until("h0-0.example.com", 200, started);
      const created = await newHostports(world, own ? FEW : Math.min(enforced, 20), `more${count}`);
      const { gateway, envoy } = world.memory();
      sizes.push({
        hostports: count,
        certificates: own ? "one each" : "one",
        start: round(start),
        gateway: round(gateway / MIB),
        envoy: round(envoy / MIB),
        more: round(percentile(created, 0.5)),
      });
      if (count === hostports[0] && !own) {
        const followed = {
          "a new hostport": await newHostports(world, enforced, "new"),
          ...(await denials(world, enforced)),
          ...(await routesAndBackends(world, enforced)),
        };
        steps = await stepsOf(world, enforced);
        const all = { "the floor": await floorOf(world, enforced), ...followed };
        const floor = percentile(all["the floor"], 0.5);
        for (const [change, times] of Object.entries(all))
          changes.push({
            change,
            times: times.length,
            p50: round(percentile(times, 0.5)),
            p99: round(percentile(times, 0.99)),
            ratio: round(percentile(times, 0.5) / floor, 1),
          });
      }
    } finally {
      await world.stop();
    }
  }
  return [
    {
      part: "gateway",
      title: "From a change at the server to its enforcement by Envoy",
      note: "From the request that makes the change until a new connection is answered accordingly, asked every 2 ms; server, gateway and Envoy on one machine. The floor: a write at the server, until a client that waits has its event, and a hostport that is added by hand to an Envoy that serves one.",
      columns: {
        change: "Change",
        times: "Times",
        p50: "p50 (ms)",
        p99: "p99 (ms)",
        ratio: "p50 to the floor",
      },
      rows: changes,
    },
    {
      part: "gateway",
      title: "One more hostport, step by step",
      note: "From the request that gives a new edge its route. After: median since that request; a step may wait for none before it.",
      columns: { step: "Step", after: "After (ms)", more: "More than the one before (ms)" },
      rows: steps,
    },
    {
      part: "gateway",
      title: "Hostports of one gateway",
      note: "HTTPS edges of 100 hostports, each with a route that answers by itself. Start: from the start of the gateway until the first is served; memory: resident.",
      columns: {
        hostports: "Hostports",
        certificates: "Certificates",
        start: "Start (ms)",
        gateway: "Gateway (MiB)",
        envoy: "Envoy (MiB)",
        more: "One more served after (ms, p50)",
      },
      rows: sizes,
    },
  ];
}

const PER_EDGE = 100;
/** Each may take seconds. */
const FEW = 5;

async function declare({ api }: GatewayWorld, count: number): Promise<string[]> {
  const hosts: string[] = [];
  const { id } = await api.httpResponseBackends.create({ status_code: 200, body: "ok" });
  for (let edge = 0; edge * PER_EDGE < count; edge++) {
    const hostports = Array.from(
      { length: Math.min(PER_EDGE, count) },
      (_, index) => `h${edge}-${index}.example.com:443`,
    );
    await site({ api }, hostports, id);
    hosts.push(...hostports.map((one) => one.slice(0, one.lastIndexOf(":"))));
  }
  return hosts;
}

/** Gives each host a certificate of its own, which is served in the place of the common one. */
async function certify({ folder, trust }: GatewayWorld, hosts: readonly string[]): Promise<void> {
  const authority = await DevelopmentAuthority.open(join(folder, "authority"));
  trust.push(authority.pem);
  const made = await authority.certificates(hosts);
  for (const { names, chain, key } of made) {
    writeFileSync(join(folder, `${names[0]}.pem`), chain);
    writeFileSync(join(folder, `${names[0]}.key`), key);
  }
}

async function site({ api }: Pick<GatewayWorld, "api">, hostports: string[], backend_id: string) {
  const edge = await api.httpsEdges.create({ hostports });
  await api
    .httpsEdgeRoutes(edge.id)
    .create({ match_type: "path_prefix", match: "/", backend: { backend_id } });
  return edge;
}

/** Milliseconds from the creation of an edge to its first answer, each with a name of its own. */
async function newHostports(world: GatewayWorld, times: number, name: string): Promise<number[]> {
  const { id } = await world.api.httpResponseBackends.create({ status_code: 200, body: "ok" });
  const measured: number[] = [];
  for (let turn = 0; turn < times; turn++) {
    const started = performance.now();
    await site(world, [`${name}-${turn}.example.com:443`], id);
    measured.push(await world.until(`${name}-${turn}.example.com`, 200, started));
  }
  return measured;
}

/** What a new hostport has behind it, and when. */
const STEPS: Readonly<Record<string, string>> = {
  answered: "the server has answered",
  read: "the gateway has its event, and has read the objects",
  begun: "it waits no longer for other changes",
  surroundings: "certificates, addresses and ports are looked at",
  translated: "it is translated",
  kept: "it is on the disk",
  encoded: "it is encoded",
  clusters: "Envoy has its clusters",
  secrets: "its secrets",
  listeners: "its listener",
  served: "its filters and routes: Envoy has acknowledged all",
  connected: "a new connection is answered",
};

async function stepsOf(world: GatewayWorld, times: number): Promise<Section["rows"]> {
  const { api } = world;
  const { id } = await api.httpResponseBackends.create({ status_code: 200, body: "ok" });
  const reached = new Map(Object.keys(STEPS).map((step): [string, number[]] => [step, []]));
  const now = () => performance.timeOrigin + performance.now();
  for (let turn = 0; turn < times; turn++) {
    const host = `step-${turn}.example.com`;
    const edge = await api.httpsEdges.create({ hostports: [`${host}:443`] });
    // The edge without its route is no part of what is measured.
    await sleep(200);
    const started = now();
    await api
      .httpsEdgeRoutes(edge.id)
      .create({ match_type: "path_prefix", match: "/", backend: { backend_id: id } });
    const answered = now();
    await world.until(host, 200);
    const connected = now();
    while (!world.steps(started).has("served")) await sleep(2);
    for (const [step, at] of new Map([
      ...world.steps(started),
      ["answered", answered],
      ["connected", connected],
    ] as const))
      reached.get(step)?.push(at - started);
  }
  const after = Object.entries(STEPS).map(([step, name]) => ({
    step: name,
    after: percentile(reached.get(step) ?? [], 0.5),
  }));
  return after.map((row, index) => ({
    step: row.step,
    after: round(row.after, 1),
    more: round(row.after - (after[index - 1]?.after ?? 0), 1),
  }));
}

/** The same for a route that an edge gets, and for another answer of a backend. */
async function routesAndBackends(world: GatewayWorld, times: number): Promise<Record<string, number[]>> {
  const { api } = world;
  const backend = await api.httpResponseBackends.create({ status_code: 200, body: "ok" });
  const edge = await site(world, ["routed.example.com:443"], backend.id);
  const other = await api.httpResponseBackends.create({ status_code: 204, body: "" });
  await world.until("routed.example.com", 200);
  const [routes, backends]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < times; turn++) {
    let started = performance.now();
    const match = `/r${turn}`;
    await api
      .httpsEdgeRoutes(edge.id)
      .create({ match_type: "exact_path", match, backend: { backend_id: other.id } });
    routes.push(await world.until("routed.example.com", 204, started, match));
    started = performance.now();
    const status_code = turn % 2 === 0 ? 202 : 200;
    await api.httpResponseBackends.update(backend.id, { status_code });
    backends.push(await world.until("routed.example.com", status_code, started));
  }
  return { "a new route": routes, "another answer of a backend": backends };
}

/** What no gateway can do without. */
async function floorOf({ api, own }: GatewayWorld, times: number): Promise<number[]> {
  const envoy = await EnvoyProcess.start(mkdtempSync(join(tmpdir(), "tpb-")));
  const port = await freePort();
  const measured: number[] = [];
  try {
    for (let turn = 0; turn < times; turn++) {
      const [last] = await api.events.newest(1);
      const coming = api.events.after(last?.event_id, 30);
      const started = performance.now();
      await api.httpResponseBackends.create({ status_code: 200, body: "ok" });
      await coming;
      const hosts = Array.from({ length: turn + 1 }, (_, index) => `f${index}.example.com`);
      await envoy.push(byHand(hosts, port, own));
      while ((await statusAt(port, `f${turn}.example.com`, own.pem)) !== 200) await sleep(2);
      measured.push(performance.now() - started);
    }
  } finally {
    await envoy.stop();
  }
  return measured;
}

function byHand(hosts: readonly string[], port: number, own: GatewayWorld["own"]): Configuration {
  const edge = httpsEdge({
    hostports: hosts.map((host) => `${host}:443`),
    routes: [route({ backend: to("answer") })],
  });
  const answer = backend("http_response", "answer", { status_code: 200, body: "ok", headers: {} });
  const certificate = { names: ["*.example.com"], chain: own.pem, key: own.privateKey };
  return translate(objectsOf([edge, answer]), {
    ...SURROUNDINGS,
    listen: [{ port: 443, address: "127.0.0.1", bindPort: port }],
    certificates: [{ ...certificate, notBefore: 0, notAfter: 4e12 }],
  });
}

/** The same for a rule that closes and opens an edge. */
async function denials(world: GatewayWorld, times: number): Promise<Record<string, number[]>> {
  const { api } = world;
  const policy = await api.ipPolicies.create({});
  const { id } = await api.httpResponseBackends.create({ status_code: 200, body: "ok" });
  const edge = await api.httpsEdges.create({ hostports: ["closing.example.com:443"] });
  const restricted = { backend: { backend_id: id }, ip_restriction: { ip_policy_ids: [policy.id] } };
  await api.httpsEdgeRoutes(edge.id).create({ match_type: "path_prefix", match: "/", ...restricted });
  await world.until("closing.example.com", 403);
  const [opened, closed]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < times; turn++) {
    let started = performance.now();
    const rule = await api.ipPolicyRules.create({
      ip_policy_id: policy.id,
      cidr: "127.0.0.0/8",
      action: "allow",
    });
    opened.push(await world.until("closing.example.com", 200, started));
    started = performance.now();
    await api.ipPolicyRules.delete(rule.id);
    closed.push(await world.until("closing.example.com", 403, started));
  }
  return { "an IP rule that admits": opened, "an IP rule that is taken away": closed };
}
