import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { Command, Option } from "commander";
import pino, { type Logger } from "pino";
import { KeysAuthority } from "../agents/keysAuthority";
import { AgentSockets } from "../agents/sockets";
import { SshServer } from "../agents/sshServer";
import { type Agents, Gateway } from "../gateway";
import { Monitor } from "../monitor";
import { PollingSource } from "../source";
import { Machine } from "../surroundings";
import { Envoy } from "../sync/envoyProcess";
import { type CommonFlags, commonOptions } from "./options";

interface Flags extends CommonFlags {
  readonly envoy: string;
  readonly metrics: string;
  readonly sshListen?: string;
}

export function runCommand(): Command {
  const command = new Command("run").description("Have Envoy serve what the server declares, and keep it up to date");
  for (const option of commonOptions()) command.addOption(option);
  return command
    .addOption(
      new Option("--envoy <path>", "Envoy's program, or none where it runs beside the gateway").env("TUNNELPLANE_ENVOY").default("envoy"),
    )
    .addOption(
      new Option("--metrics <address:port>", "where /metrics and /readyz are").env("TUNNELPLANE_GATEWAY_METRICS").default("127.0.0.1:4041"),
    )
    .addOption(new Option("--ssh-listen <address:port>", "where agents come in with ssh -R (default: nowhere)"))
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const log = pino({ base: undefined }, pino.destination({ dest: 2, sync: true }));
  if (!flags.apiKey) throw new Error("an API key is needed: set TUNNELPLANE_API_KEY");
  const state = resolve(flags.state);
  for (const folder of ["", "envoy", "sockets"]) mkdirSync(join(state, folder), { recursive: true, mode: 0o700 });
  const said = new Map<string, number>();
  const complain = (message: string) => {
    // Repeat a lasting fault once a minute.
    if (Date.now() - (said.get(message) ?? 0) < 60_000) return;
    if (said.size > 1000) said.clear();
    said.set(message, Date.now());
    log.warn(message);
  };
  const machine = await Machine.open(flags, complain);
  const envoy = new Envoy(join(state, "envoy"), flags.envoy === "none" ? undefined : flags.envoy, complain);
  const source = new PollingSource({ baseUrl: flags.url, apiKey: flags.apiKey });
  const lastState = join(state, "objects.json");
  const last = existsSync(lastState) ? readFileSync(lastState, "utf8") : undefined;
  const agents = flags.sshListen === undefined ? undefined : await openAgents(flags.sshListen, state, log);
  const gateway = new Gateway({ agents, source, machine, envoy, log, complain, lastState });
  const monitor = await Monitor.start(flags.metrics, gateway, envoy);
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  await envoy.start();
  await gateway.run(stopping.signal, last);
  envoy.stop();
  agents?.sockets.stop();
  await agents?.ssh.stop();
  await Promise.all([monitor.stop(), source.close()]);
}

async function openAgents(listen: string, state: string, log: Logger): Promise<Agents> {
  const at = listen.lastIndexOf(":");
  const [address, port] = [listen.slice(0, at).replace(/^\[|\]$/g, ""), Number(listen.slice(at + 1))];
  if (!isIP(address) || !(port >= 1 && port <= 65535)) throw new Error("--ssh-listen expects ADDRESS:PORT with an IP address");
  const authority = new KeysAuthority();
  const sockets = new AgentSockets(join(state, "sockets"));
  const options = {
    address,
    port,
    hostKey: join(state, "ssh_host_key"),
    authority,
    sockets,
    log: (message: string, fields: object) => log.info(fields, message),
  };
  return { authority, sockets, ssh: await SshServer.start(options) };
}
