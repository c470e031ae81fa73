import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Tunnelplane } from "@tunnelplane/sdk";
import { type SshKey, sshKey } from "../support/api/fixtures";
import { atEndOfFile } from "../support/endOfFile";
import { ENVOY, needsEnvoy } from "../support/envoy";
import { EnvoyBeside } from "../support/envoyBeside";
import { newFolder } from "../support/folder";
import { GatewayProcess } from "../support/gateway";
import { freePort } from "../support/ports";
import { refusedBeside } from "../support/refusal";
import { ServerProcess } from "../support/server";
import { type Answer, type Ask, http1, Upstream } from "./traffic";

type EdgeReport = { readonly id: string; readonly state: "applied" | "rejected"; readonly reason: string };
const LOOK_EVERY_MS = 50;
type Proof = SshKey | { readonly token: string };
let shared: Promise<ServerProcess> | undefined;
let gateways = 0;

/** A gateway and a program that answers, on the server of all tests, emptied after each, or on its own. */
export class Running {
  server!: ServerProcess;
  readonly name = `edge-${++gateways}`;
  upstream!: Upstream;
  api!: Tunnelplane;
  gateway!: GatewayProcess;
  beside: EnvoyBeside | undefined;
  state = "";
  folder = "";
  key = "";
  env: Readonly<Record<string, string>> = {};
  httpsPort = 0;
  metricsPort = 0;
  sshPort = 0;
  readonly #agents: ChildProcess[] = [];

  static async start(): Promise<Running> {
    const one = new Running();
    [one.state, one.folder] = [newFolder(), newFolder()];
    [one.httpsPort, one.metricsPort, one.sshPort] = [await freePort(), await freePort(), await freePort()];
    if (!shared) {
      shared = ServerProcess.start();
      atEndOfFile(() => {
        shared = undefined;
      });
    }
    one.upstream = await Upstream.start("one");
    await one.use(await shared);
    return one;
  }

  /** Goes on with another server, which stops with this. For tests that stop it. */
  async use(server: ServerProcess): Promise<void> {
    await this.api?.close();
    this.server = server;
    this.api = new Tunnelplane({ baseUrl: server.url, apiKey: server.apiKey });
    const bot = await this.api.botUsers.create({ name: this.name, role: "gateway" });
    this.key = (await this.api.apiKeys.create({ owner_id: bot.id })).token ?? "";
  }

  useOwnServer = async (): Promise<void> => this.use(await ServerProcess.start());

  run(...args: string[]): GatewayProcess {
    const places = ["--url", this.server.url, "--state", this.state, "--name", this.name];
    const ports = [
      "--listen",
      `443=127.0.0.1:${this.httpsPort}`,
      "--metrics",
      `127.0.0.1:${this.metricsPort}`,
    ];
    const parts = ["--envoy", ENVOY as string, ...ports];
    this.gateway = GatewayProcess.start(["run", ...places, ...parts, ...args], {
      TUNNELPLANE_API_KEY: this.key,
      ...this.env,
    });
    return this.gateway;
  }

  /** Starts Envoy where the gateway starts none. @param change changes its bootstrap */
  async startBeside(change?: (bootstrap: string) => string): Promise<void> {
    const folder = join(this.state, "envoy");
    await this.until(() => existsSync(join(folder, "bootstrap.json")));
    this.beside = EnvoyBeside.start(folder, join(this.folder, "bootstrap.json"), change);
  }

  runWithAgents = (...args: string[]) =>
    this.run("--dev-ca", "--ssh-listen", `127.0.0.1:${this.sshPort}`, ...args);

  async site(host: string, fields: object = {}) {
    const backend = await this.api.staticBackends.create({ address: this.upstream.address });
    const edge = await this.api.httpsEdges.create({ hostports: [`${host}:443`] });
    const body = {
      ...{ match_type: "path_prefix" as const, match: "/", backend: { backend_id: backend.id } },
      ...fields,
    };
    return { edge, route: await this.api.httpsEdgeRoutes(edge.id).create(body) };
  }

  async tlsEdge(host: string, address = this.upstream.address, fields: object = {}) {
    const backend = await this.api.staticBackends.create({ address });
    const edge = await this.api.tlsEdges.create({
      hostports: [`${host}:443`],
      backend: { backend_id: backend.id },
      ...fields,
    });
    return { edge: edge.id, backend: backend.id };
  }

  ask = (sni: string, path = "/", more: Ask = {}): Promise<Answer> =>
    http1(this.httpsPort, path, { sni, ...more });

  /** Waits until something holds. Fails where the gateway, or an Envoy beside it, ended by itself. */
  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) {
      this.#checkProcesses();
      await sleep(LOOK_EVERY_MS);
    }
  }

  #checkProcesses(): void {
    const { gateway, beside } = this;
    if (gateway?.hasEnded && !gateway.isStopped) throw new Error(`the gateway ended: ${gateway.log}`);
    if (beside?.hasEnded && !beside.isStopped) throw new Error(`Envoy ended: ${beside.log}`);
  }

  becomes = (status: number, sni: string, path?: string): Promise<void> =>
    this.until(async () => (await this.ask(sni, path)).status === status);

  /** Asks until this status refuses a host, while another host is served. */
  async becomesRefused(status: number, sni: string, served: string): Promise<void> {
    await this.becomes(status, sni);
    const [refused, allowed] = [sni, served].map((host) => () => this.ask(host));
    if (refused && allowed) await refusedBeside({ refused, as: status, allowed, allowedAs: 200 });
  }

  becomesReady = (): Promise<void> => this.until(async () => (await this.ready()) === 200);

  async answers(sni: string): Promise<string | undefined> {
    const { status, body } = await this.ask(sni);
    return status === 200 ? (JSON.parse(body) as { name: string }).name : undefined;
  }

  /** What the gateway reported of an edge, once it reported this of it. */
  async reported(edge: string, isIt: (report: EdgeReport) => boolean = () => true): Promise<EdgeReport> {
    const all = await this.reports((edges) => edges.some((one) => one.id === edge && isIt(one)));
    return all.find(({ id }) => id === edge) as EdgeReport;
  }

  /** Why these edges are rejected, in their order, once they are. */
  async reasons(ids: readonly string[]): Promise<string[]> {
    const all = await this.reports((edges) =>
      ids.every((id) => edges.some((one) => one.id === id && one.state === "rejected")),
    );
    return ids.map((id) => all.find((one) => one.id === id)?.reason ?? "");
  }

  status = () => this.api.gateways.get(this.name);
  ready = (): Promise<number> => this.#health("readyz");
  live = (): Promise<number> => this.#health("livez");
  readonly #health = async (path: string) =>
    (await fetch(`http://127.0.0.1:${this.metricsPort}/${path}`)).status;

  async reports(
    isEnough: (edges: readonly EdgeReport[]) => boolean = () => true,
  ): Promise<readonly EdgeReport[]> {
    let edges: readonly EdgeReport[] = [];
    await this.until(async () => {
      const status = await this.status().catch(() => undefined);
      edges = status?.edges ?? [];
      return status !== undefined && isEnough(edges);
    });
    return edges;
  }

  get children(): string[] {
    const args = ["-o", "pid=", "--ppid", String(this.gateway.pid)];
    return execFileSync("ps", args, { encoding: "utf8" }).trim().split(/\s+/);
  }

  metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`)).text();

  async credential(acl: string[] = []) {
    const key = sshKey();
    return { key, ...(await this.api.sshCredentials.create({ public_key: key.openssh, acl })) };
  }

  agent(
    proof: Proof,
    bind: string,
    { local = this.upstream.address, options = [] as string[] } = {},
  ): ChildProcess {
    const child = this.ssh(proof, ["-N", "-R", `${bind}:${local}`, "any@127.0.0.1"], options);
    child.stdout?.resume();
    child.stderr?.resume();
    return child;
  }

  ssh(proof: Proof, args: readonly string[], options: readonly string[] = []): ChildProcess {
    const at = join(this.folder, `agent${this.#agents.length}`);
    const common = [
      "ExitOnForwardFailure=yes",
      "ServerAliveInterval=1",
      ...(options.length > 0 ? options : TRUSTING),
    ];
    const env: Record<string, string | undefined> = { ...process.env };
    if ("token" in proof) {
      writeFileSync(at, `#!/bin/sh\necho '${proof.token}'\n`);
      chmodSync(at, 0o700);
      Object.assign(env, { SSH_ASKPASS: at, SSH_ASKPASS_REQUIRE: "force", DISPLAY: ":0" });
      common.push("PreferredAuthentications=password", "NumberOfPasswordPrompts=1");
    } else {
      writeFileSync(at, proof.privateKey, { mode: 0o600 });
      common.push(`IdentityFile=${at}`, "IdentitiesOnly=yes", "IdentityAgent=none", "BatchMode=yes");
    }
    const flags = ["-F", "none", "-p", String(this.sshPort), ...common.flatMap((one) => ["-o", one])];
    const child = spawn("ssh", [...flags, ...args], { stdio: ["ignore", "pipe", "pipe"], env });
    this.#agents.push(child);
    return child;
  }

  async #empty(): Promise<void> {
    for (const name of LEFT_BEHIND) {
      const ids: string[] = [];
      for await (const { id } of this.api[name].list()) ids.push(id);
      await Promise.all(ids.map((id) => this.api[name].delete(id)));
    }
  }

  async stop(): Promise<void> {
    for (const child of this.#agents) child.kill("SIGKILL");
    await this.gateway?.stop();
    await this.beside?.stop();
    if (this.server === (await shared)) await this.#empty();
    else await this.server.stop();
    await this.api.close();
    await this.upstream.stop();
  }
}

/** In their order: nothing is deleted that something else refers to. */
const LEFT_BEHIND = [
  ...["ipRestrictions", "reservedDomains", "tlsCertificates", "httpsEdges", "tlsEdges", "tcpEdges"],
  ...["failoverBackends", "weightedBackends", "staticBackends", "httpResponseBackends"],
  ...["tunnelGroupBackends", "ipPolicies", "sshCredentials", "tunnelCredentials"],
] as const;

export async function narrow(
  { api }: Running,
  { id, edge_id }: { readonly id: string; readonly edge_id: string },
): Promise<void> {
  const nobody = await api.ipPolicies.create({});
  await api.httpsEdgeRoutes(edge_id).update(id, { ip_restriction: { ip_policy_ids: [nobody.id] } });
}

/** What the log says of something: exactly one line, which is returned. */
export function lineAbout({ gateway }: Running, text: string): string {
  const lines = gateway.log.split("\n").filter((line) => line.includes(text));
  expect(lines, gateway.log).to.have.length(1);
  return lines[0] ?? "";
}

export const TRUSTING = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null"];

export const ended = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
};

type Hooks = readonly [start: typeof before, stop: typeof after];
/** A new one for each test; skips them, in words, where there is no Envoy. */
export const runningForEachTest = (): { readonly now: Running } => runningBetween([beforeEach, afterEach]);
/** One for all tests of a `describe`, which do not disturb each other. */
export const runningForAllTests = (): { readonly now: Running } => runningBetween([before, after]);

function runningBetween([start, stop]: Hooks): { readonly now: Running } {
  const state = {} as { now: Running };
  start("prepare a gateway", async function () {
    needsEnvoy(this);
    state.now = await Running.start();
  });
  afterEach("show what a gateway said before a test failed", function () {
    if (this.currentTest?.isFailed()) console.log(state.now?.gateway?.log);
  });
  stop("stop everything", () => state.now?.stop());
  return state;
}
