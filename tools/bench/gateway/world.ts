import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Tunnelplane } from "@tunnelplane/sdk";
import { certificate } from "../../../tests/support/api/fixtures";
import { ENVOY } from "../../../tests/support/envoy";
import { GatewayProcess } from "../../../tests/support/gateway";
import { freePort } from "../../../tests/support/ports";
import { ServerProcess } from "../../../tests/support/server";

const RECORD = join(__dirname, "recordSteps.cjs");

/** A server, and a gateway that serves `*.example.com` with one certificate. */
export class GatewayWorld {
  readonly gateways: GatewayProcess[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), "tpb-"));
  readonly own = certificate({ extensions: ["subjectAltName = DNS:*.example.com"] });

  /** PEMs of the authorities of what is served. */
  readonly trust = [this.own.pem];

  readonly #steps = join(this.folder, "steps");

  private constructor(
    readonly server: ServerProcess,
    readonly api: Tunnelplane,
    readonly key: string,
    readonly port: number,
    readonly ssh: number,
    readonly metrics: number,
  ) {
    writeFileSync(join(this.folder, "own.pem"), this.own.pem);
    writeFileSync(join(this.folder, "own.key"), this.own.privateKey);
  }

  static async start(): Promise<GatewayWorld> {
    const server = await ServerProcess.start({ keepLog: false, args: ["--rate-limit", "0"] });
    const api = new Tunnelplane({ baseUrl: server.url, apiKey: server.apiKey });
    const bot = await api.botUsers.create({ name: "gateway", role: "gateway" });
    const key = (await api.apiKeys.create({ owner_id: bot.id })).token ?? "";
    return new GatewayWorld(server, api, key, await freePort(), await freePort(), await freePort());
  }

  /**
   * Starts the gateway, and resolves when Envoy serves what is declared.
   * @param more options of the command
   */
  serve = (...more: string[]): Promise<void> => this.#serveAt(this, "one", more);

  /** The folder of a gateway's state. */
  stateOf = (name = "one"): string => join(this.folder, `state-${name}`);

  /** Starts a further gateway, which serves HTTPS at a port of its own. Returns that port. */
  async serveBeside(name: string): Promise<number> {
    const [port, ssh, metrics] = [await freePort(), await freePort(), await freePort()];
    await this.#serveAt({ port, ssh, metrics }, name, []);
    return port;
  }

  async #serveAt(
    { port, ssh, metrics }: Pick<GatewayWorld, "port" | "ssh" | "metrics">,
    name: string,
    more: readonly string[],
  ): Promise<void> {
    const state = [
      "--url",
      this.server.url,
      "--name",
      name,
      "--state",
      this.stateOf(name),
      "--certs",
      this.folder,
      "--envoy",
      ENVOY ?? "envoy",
    ];
    const places = [
      "--listen",
      `443=127.0.0.1:${port}`,
      "--ssh-listen",
      `127.0.0.1:${ssh}`,
      "--metrics",
      `127.0.0.1:${metrics}`,
    ];
    const args = ["run", ...state, ...places, ...more];
    const recording = { NODE_OPTIONS: `--require ${RECORD}`, STEPS_FILE: this.#steps };
    this.gateways.push(GatewayProcess.start(args, { TUNNELPLANE_API_KEY: this.key, ...recording }));
    const ready = () =>
      fetch(`http://127.0.0.1:${metrics}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await ready())) await sleep(20);
  }

  /** When the gateway reached each step last, since a time; both in milliseconds since 1970. */
  steps(since: number): ReadonlyMap<string, number> {
    const lines = existsSync(this.#steps) ? readFileSync(this.#steps, "utf8").trim().split("\n") : [];
    const steps = lines.map((line): { step: string; at: number } => JSON.parse(line));
    return new Map(steps.flatMap(({ step, at }): [string, number][] => (at >= since ? [[step, at]] : [])));
  }

  /** The processes of the first gateway and of its Envoy. */
  get pids(): { readonly gateway: number; readonly envoy: readonly number[] } {
    const gateway = this.gateways[0]?.pid ?? 0;
    const children = readFileSync(`/proc/${gateway}/task/${gateway}/children`, "utf8");
    return { gateway, envoy: children.trim().split(" ").filter(Boolean).map(Number) };
  }

  /** The bytes that the gateway and its Envoy hold in memory. */
  memory(): { gateway: number; envoy: number } {
    const { gateway, envoy } = this.pids;
    const rss = (one: number) =>
      Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${one}/status`, "utf8"))?.[1] ?? 0) * 1024;
    return { gateway: rss(gateway), envoy: envoy.map(rss).reduce((sum, one) => sum + one, 0) };
  }

  /** The status under a name; 0 where nothing answers. */
  status = (host: string, path = "/"): Promise<number> => statusAt(this.port, host, this.trust, path);

  /** Milliseconds until the status under a name is this one. */
  async until(host: string, status: number, from = performance.now(), path = "/"): Promise<number> {
    while ((await this.status(host, path)) !== status) await sleep(2);
    return performance.now() - from;
  }

  async stop(): Promise<void> {
    for (const gateway of this.gateways) await gateway.stop();
    await this.api.close();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The value below which a share of all lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The status under a name at a local port; 0 where nothing answers. */
export function statusAt(
  port: number,
  host: string,
  ca: string | readonly string[],
  path = "/",
): Promise<number> {
  return new Promise((resolve) => {
    const options = {
      ...{ host: "127.0.0.1", port, servername: host, headers: { host }, path },
      ...{ ca: [ca].flat(), agent: false as const },
    };
    const asked = request(options, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    asked.on("error", () => resolve(0)).end();
  });
}
