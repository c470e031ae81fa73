import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Tunnelplane } from "@tunnelplane/sdk";
import { type SshKey, sshKey } from "../support/api/fixtures";
import { ENVOY } from "../support/envoy";
import { EnvoyBeside } from "../support/envoyBeside";
import { GatewayProcess } from "../support/gateway";
import { freePort } from "../support/ports";
import { ServerProcess } from "../support/server";
import { type Answer, http1, Upstream } from "./traffic";

interface EdgeReport {
  readonly id: string;
  readonly state: "applied" | "rejected";
  readonly reason: string;
}
type Proof = SshKey | { readonly token: string };

/** A server, a program that answers, and a gateway with the key of a gateway: new ones for each test. */
export class Running {
  server!: ServerProcess;
  upstream!: Upstream;
  api!: Tunnelplane;
  gateway!: GatewayProcess;
  /** An Envoy that the gateway did not start. */
  beside: EnvoyBeside | undefined;
  /** Short, because sockets are in it. */
  state = "";
  /** For what a test writes: certificates, keys. */
  folder = "";
  key = "";
  /** For the gateway, besides its key. */
  env: Readonly<Record<string, string>> = {};
  httpsPort = 0;
  metricsPort = 0;
  sshPort = 0;
  readonly #agents: ChildProcess[] = [];

  static async start(): Promise<Running> {
    const one = new Running();
    const folder = () => mkdtempSync(join(tmpdir(), "tpg-"));
    [one.state, one.folder] = [folder(), folder()];
    [one.httpsPort, one.metricsPort, one.sshPort] = [await freePort(), await freePort(), await freePort()];
    [one.server, one.upstream] = [await ServerProcess.start(), await Upstream.start("one")];
    one.api = new Tunnelplane({ baseUrl: one.server.url, apiKey: one.server.apiKey });
    const bot = await one.api.botUsers.create({ name: "edge-1", role: "gateway" });
    one.key = (await one.api.apiKeys.create({ owner_id: bot.id })).token ?? "";
    return one;
  }

  /** Starts a gateway on Envoy. */
  run(...args: string[]): GatewayProcess {
    const places = [
      "--url",
      this.server.url,
      "--state",
      this.state,
      "--listen",
      `443=127.0.0.1:${this.httpsPort}`,
    ];
    const parts = [
      "--envoy",
      ENVOY as string,
      "--metrics",
      `127.0.0.1:${this.metricsPort}`,
      "--name",
      "edge-1",
    ];
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

  /** An HTTPS edge with one route to the program. */
  async site(host: string, fields: object = {}) {
    const backend = await this.api.staticBackends.create({ address: this.upstream.address });
    const edge = await this.api.httpsEdges.create({ hostports: [`${host}:443`] });
    const body = {
      match_type: "path_prefix" as const,
      match: "/",
      backend: { backend_id: backend.id },
      ...fields,
    };
    return { edge, route: await this.api.httpsEdgeRoutes(edge.id).create(body) };
  }

  ask = (sni: string): Promise<Answer> => http1(this.httpsPort, "/", { sni });

  /** Waits until something holds. Fails where the gateway, or an Envoy beside it, ended by itself. */
  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) {
      this.#checkProcesses();
      await sleep(20);
    }
  }

  #checkProcesses(): void {
    const { gateway, beside } = this;
    if (gateway?.hasEnded && !gateway.isStopped) throw new Error(`the gateway ended: ${gateway.log}`);
    if (beside?.hasEnded && !beside.isStopped) throw new Error(`Envoy ended: ${beside.log}`);
  }

  /** Asks until the status is this one. */
  becomes = (status: number, sni: string): Promise<void> =>
    this.until(async () => (await this.ask(sni)).status === status);

  /** Waits until /readyz answers 200. */
  becomesReady = (): Promise<void> => this.until(async () => (await this.ready()) === 200);

  /** The name of the program that answers; undefined while none does. */
  async answers(sni: string): Promise<string | undefined> {
    const { status, body } = await this.ask(sni);
    return status === 200 ? (JSON.parse(body) as { name: string }).name : undefined;
  }

  /** What the server was told of an edge, once it was. */
  async reported(edge: string): Promise<EdgeReport> {
    const isIt = ({ id }: EdgeReport) => id === edge;
    return (await this.reports((all) => all.some(isIt))).find(isIt) as EdgeReport;
  }

  ready = (): Promise<number> => this.#health("readyz");
  live = (): Promise<number> => this.#health("livez");
  readonly #health = async (path: string) =>
    (await fetch(`http://127.0.0.1:${this.metricsPort}/${path}`)).status;

  /** What the gateway reported of its edges, once it did. */
  async reports(
    isEnough: (edges: readonly EdgeReport[]) => boolean = () => true,
  ): Promise<readonly EdgeReport[]> {
    let edges: readonly EdgeReport[] = [];
    await this.until(async () => {
      const status = await this.api.gateways.get("edge-1").catch(() => undefined);
      edges = status?.edges ?? [];
      return status !== undefined && isEnough(edges);
    });
    return edges;
  }

  metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`)).text();

  async credential(acl: string[] = []) {
    const key = sshKey();
    return { key, ...(await this.api.sshCredentials.create({ public_key: key.openssh, acl })) };
  }

  /** The stock client, which binds something. */
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

  /** The stock client with a key, or with a token as its password. */
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

  async stop(): Promise<void> {
    for (const child of this.#agents) child.kill("SIGKILL");
    await this.gateway?.stop();
    await this.beside?.stop();
    await this.api.close();
    await this.server.stop();
    await this.upstream.stop();
    for (const folder of [this.state, this.folder]) rmSync(folder, { recursive: true, force: true });
  }
}

export const TRUSTING = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null"];

export const ended = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
};

/** For each test of a file; skips it, in words, where there is no Envoy. */
export function runningForEachTest(): { readonly now: Running } {
  const state = {} as { now: Running };
  beforeEach("start a server", async function () {
    if (!ENVOY) {
      console.log("    Skipped: Envoy could not be installed, because Python 3 with venv is missing");
      this.skip();
    }
    state.now = await Running.start();
  });
  afterEach("stop everything", function () {
    if (this.currentTest?.isFailed()) console.log(state.now?.gateway?.log);
    return state.now?.stop();
  });
  return state;
}
