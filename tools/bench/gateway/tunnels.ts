import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { socketOfLabels } from "../../../gateway/src/envoy/hostports";
import { sshKey } from "../../../tests/support/api/fixtures";
import { freePort, reachable } from "../../../tests/support/ports";
import { LOGIN, SSHD, Sshd } from "../../../tests/support/sshd";
import { medianBy, ratio, type Section } from "../report/section";
import type { Settings } from "../settings";
import { GatewayWorld } from "./world";

const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(MIB, 0x61);
const TOGETHER = 25;
const MAX_TRIES = 400; // 20 s

/** Bytes through `ssh -R`, beside OpenSSH's own sshd, and many agents at once. */
export async function measureTunnels(settings: Settings): Promise<Section[]> {
  const world = await GatewayWorld.start();
  const source = await sourceOf(settings.tunnelled);
  const local = `127.0.0.1:${(source.address() as AddressInfo).port}`;
  const children: ChildProcess[] = [];
  let beside: Sshd | undefined;
  try {
    const key = sshKey();
    const labels = { bench: "bytes" };
    writeFileSync(join(world.folder, "id"), key.privateKey, { mode: 0o600 });
    await world.api.sshCredentials.create({ public_key: key.openssh });
    await world.api.tunnelGroupBackends.create({ labels });
    await world.serve();
    children.push(agent(world, ["-p", String(world.ssh), "-R", `bench=bytes:443:${local}`, "any@127.0.0.1"]));
    const socket = join(world.stateOf(), "sockets", socketOfLabels(labels));
    await until(() => existsSync(socket), "The agent did not bind anything");
    const contenders: { name: string; open: () => Socket }[] = [
      { name: "the gateway", open: () => connect(socket) },
    ];
    if (SSHD) {
      beside = await Sshd.start({ authorized: key.openssh });
      const forwarded = await freePort();
      children.push(
        agent(world, ["-p", String(beside.port), "-R", `127.0.0.1:${forwarded}:${local}`, "127.0.0.1"]),
      );
      await reachable(forwarded);
      contenders.push({ name: "OpenSSH's sshd", open: () => connect(forwarded, "127.0.0.1") });
    }
    const measured = new Map<string, number[]>();
    for (let round = 0; round < settings.rounds; round++)
      for (const { name, open } of contenders)
        measured.set(name, [...(measured.get(name) ?? []), await bytesPerSecond(open())]);
    const floor = medianBy(measured.get("OpenSSH's sshd") ?? [Number.NaN], (one) => one);
    const bytes: Section = {
      part: "gateway",
      title: "Bytes through ssh -R",
      note: `${settings.tunnelled} MiB from a program to one reader, through the stock client and either server; the reader is on the server's own socket, without Envoy.`,
      columns: { through: "Through", perSecond: "MiB/s", ratio: "of sshd" },
      rows: [...measured].map(([through, results]) => {
        const median = medianBy(results, (one) => one);
        return {
          through,
          perSecond: Math.round(median / MIB),
          ratio: Number.isNaN(floor) ? null : ratio(median, floor),
        };
      }),
    };
    for (const child of children) child.kill("SIGKILL");
    return [bytes, await connected(world, settings.agents, beside)];
  } finally {
    for (const child of children) child.kill("SIGKILL");
    beside?.stop();
    source.close();
    await world.stop();
  }
}

/** Stock clients, each with a bind of its own. */
async function connected(world: GatewayWorld, count: number, beside: Sshd | undefined): Promise<Section> {
  const before = world.memory().gateway;
  await world.api.tunnelGroupBackends.create({ labels: { bench: "agents" } });
  const agents: ChildProcess[] = [];
  const connect = async (port: number, bind: (index: number) => string, serving: () => number) => {
    const [started, others] = [performance.now(), serving()];
    for (let index = 0; index < count; index += TOGETHER) {
      const some = Math.min(TOGETHER, count - index);
      for (let one = index; one < index + some; one++)
        agents.push(
          agent(world, ["-p", String(port), "-R", `${bind(one)}:127.0.0.1:9`, `${LOGIN}@127.0.0.1`]),
        );
      while (serving() < others + index + some) await sleep(50);
    }
    return (performance.now() - started) / 1000;
  };
  try {
    const seconds = await connect(
      world.ssh,
      (index) => `bench=agents,n=${index}:443`,
      () => serving(world),
    );
    const after = world.memory().gateway;
    for (const one of agents.splice(0)) one.kill("SIGKILL");
    const floor =
      beside &&
      (await connect(
        beside.port,
        () => "127.0.0.1:0",
        () => beside.accepted,
      ));
    return {
      part: "gateway",
      title: "Agents connected at once",
      note: `Stock clients, started ${TOGETHER} at a time, each with a bind of its own; all of them on the machine of the gateway, which they share.`,
      columns: {
        agents: "Agents",
        seconds: "All connected after (s)",
        ratio: "of sshd's time",
        memory: "Gateway's memory for each (KiB)",
      },
      rows: [
        {
          agents: count,
          seconds: Math.round(seconds * 10) / 10,
          ratio: floor ? ratio(seconds, floor) : null,
          memory: Math.round((after - before) / count / 1024),
        },
      ],
    };
  } finally {
    for (const one of agents) one.kill("SIGKILL");
  }
}

const serving = ({ gateways: [first] }: GatewayWorld): number =>
  (first?.log.match(/"agent bound"/g) ?? []).length;

export function agent({ folder }: GatewayWorld, args: readonly string[]): ChildProcess {
  const options = [
    "StrictHostKeyChecking=no",
    "UserKnownHostsFile=/dev/null",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "LogLevel=ERROR",
  ];
  return spawn(
    "ssh",
    ["-N", "-F", "none", "-i", join(folder, "id"), ...options.flatMap((one) => ["-o", one]), ...args],
    {
      stdio: "ignore",
    },
  );
}

/** Sends so many MiB to each client that connects. */
async function sourceOf(mebibytes: number): Promise<Server> {
  const server = createServer(async (socket) => {
    socket.on("error", () => socket.destroy());
    for (let sent = 0; sent < mebibytes && !socket.destroyed; sent++)
      if (!socket.write(CHUNK)) await once(socket, "drain").catch(() => undefined);
    socket.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function bytesPerSecond(socket: Socket): Promise<number> {
  const started = performance.now();
  let bytes = 0;
  socket.on("data", (chunk) => {
    bytes += chunk.length;
  });
  await once(socket, "end");
  socket.destroy();
  return bytes / ((performance.now() - started) / 1000);
}

/** Asks until it is so, or fails in these words. */
async function until(isSo: () => boolean | Promise<boolean>, failure: string): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (await isSo()) return;
    await sleep(50);
  }
  throw new Error(failure);
}
