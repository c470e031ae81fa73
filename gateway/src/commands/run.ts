import { hostname } from "node:os";
import { join, resolve } from "node:path";
import type { Tunnelplane } from "@tunnelplane/sdk";
import {
  loadInLittleMemory,
  makeFolder,
  mistypedVariables,
  switchReader,
  visible,
} from "@tunnelplane/sdk/node";
import { Command, InvalidArgumentError, Option } from "commander";
import pino, { type Logger } from "pino";
import { answerHealth } from "../agents/health";
import { HostKeys } from "../agents/hostKeys";
import { ServerAuthority } from "../agents/serverAuthority";
import { AgentSockets } from "../agents/sockets";
import { SshServer } from "../agents/sshServer";
import { type Agents, Gateway } from "../controller/gateway";
import { Monitor } from "../controller/monitor";
import { DEFAULT_LISTEN, EnvironmentSource } from "../environment/source";
import { type Address, addressText } from "../envoy/address";
import { MAX_SOCKET_LENGTH } from "../envoy/hostports";
import { IssuerSocket } from "../issuers/socket";
import type { Status } from "../server/report";
import { ServerSource } from "../server/source";
import { keptOr } from "../state/files";
import { Envoy } from "../sync/envoy";
import { checkProgram } from "../sync/envoyProgram";
import { Marks } from "../sync/marks";
import { ADDRESSES } from "../traffic/abbreviated";
import { VERSION } from "../version";
import { waitAtMost } from "../waiting";
import { WebhookChecker } from "../webhooks/checker";
import { addressOption, type CommonFlags, commonOptions, hoursOption, nameOption } from "./options";
import { openReports, type ReportFlags } from "./reports";

const CLOSE_MS = 500;
/** After these, a gateway works, whether or not there is a server. */
const START_MS = 3_000;

interface Flags extends CommonFlags, ReportFlags {
  readonly envoy: string;
  readonly metrics: Address;
  readonly sshListen?: Address;
  readonly sshHostCertificate?: string;
  readonly name?: string;
}

export function runCommand(): Command {
  const command = withSettings(
    new Command("run").description("Have Envoy serve the objects of a server, and keep it up to date"),
  );
  return command.action((flags: Flags) => run(flags, command));
}

/** Adds the settings of a gateway that runs. */
export function withSettings(command: Command): Command {
  for (const option of commonOptions()) command.addOption(option);
  command
    .addOption(
      new Option("--envoy <path>", "Envoy's program, or none if it runs beside the gateway")
        .env("TUNNELPLANE_ENVOY")
        .default("envoy"),
    )
    .addOption(
      new Option("--metrics <address:port>", "address of /metrics, /livez and /readyz")
        .env("TUNNELPLANE_GATEWAY_METRICS")
        .default(addressOption("127.0.0.1:4041"), "127.0.0.1:4041")
        .argParser(addressOption),
    )
    .addOption(
      new Option(
        "--name <name>",
        "name of this gateway in the server's list (default: this machine's name at the first start)",
      )
        .env("TUNNELPLANE_GATEWAY_NAME")
        .argParser(nameOption),
    )
    .addOption(
      new Option(
        "--ssh-host-certificate <id>",
        "the SSH host certificate that was issued for STATE/ssh_host_key.pub, so that agents trust it at once",
      ),
    )
    .addOption(
      new Option(
        "--ssh-listen <address:port>",
        "address for agents, which connect with ssh -R (default: none)",
      ).argParser(addressOption),
    );
  for (const option of reportOptions()) command.addOption(option);
  return command;
}

/** The options for recorded traffic, metrics and the access log. */
const reportOptions = (): Option[] => [
  new Option(
    "--record-traffic <time>",
    "count requests by the hour in STATE/traffic, and keep them this long, such as 7d (default: nothing is recorded)",
  )
    .env("TUNNELPLANE_GATEWAY_RECORD_TRAFFIC")
    .argParser(hoursOption),
  new Option(
    "--record-addresses <form>",
    "record the whole addresses of callers, or the network that they are in, a /24 or a /48 (default: network)",
  )
    .env("TUNNELPLANE_GATEWAY_RECORD_ADDRESSES")
    .choices(ADDRESSES),
  new Option(
    "--hostport-metrics [boolean]",
    "count requests, refusals, connections and bytes of each hostport in /metrics, at most 2,000 series",
  )
    .env("TUNNELPLANE_GATEWAY_HOSTPORT_METRICS")
    .preset("true")
    .argParser(switchReader(InvalidArgumentError))
    .default(true),
  new Option(
    "--access-log <file>",
    "append a line of JSON for each request and connection, without queries and tokens; - for standard output (default: none)",
  ).env("TUNNELPLANE_GATEWAY_ACCESS_LOG"),
];

async function run(flags: Flags, { options }: Command): Promise<void> {
  const { log, warn } = openLog();
  const settings = options.flatMap(({ envVar }) => envVar ?? []);
  for (const warning of mistypedVariables(settings, (name) => name.startsWith("GATEWAY_"))) log.warn(warning);
  if (!flags.apiKey) throw new Error("an API key is needed: set TUNNELPLANE_API_KEY");
  const state = resolve(flags.state);
  refuseLongState(state);
  for (const folder of ["", "envoy", "sockets"])
    makeFolder(join(state, folder), "name a folder of this user's with --state");
  const listen = flags.listen ?? DEFAULT_LISTEN;
  const program = flags.envoy === "none" ? undefined : flags.envoy;
  const ports = listen.map(({ port }) => port);
  const reports = await openReports(flags, state, warn);
  const { recorder, observer } = reports;
  const envoy = new Envoy({ folder: join(state, "envoy"), program, warn, ports });
  const environment = await EnvironmentSource.open(flags, {
    warn,
    // An Envoy beside the gateway may have other addresses than this process.
    listening: program === undefined ? undefined : envoy.listening,
    answersForIssuers: true,
    ...reports.wanted,
  });
  if (program !== undefined) checkProgram(program);
  const source = new ServerSource({ baseUrl: flags.url, apiKey: flags.apiKey, projects: flags.project });
  const { api } = source;
  const certificate = flags.sshHostCertificate;
  const agents =
    flags.sshListen && (await openAgents(flags.sshListen, { state, log, warn, api, certificate }));
  // The name is kept: a gateway key reports for one name, and each new container has another host name.
  const name = flags.name ?? keptOr(join(state, "name"), () => nameOfMachine());
  const report = async (status: Status) =>
    source.api.gateways.report(name, {
      version: VERSION,
      envoy_version: envoy.version,
      ports: [...new Set(ports)],
      ...status,
    });
  const lastObjects = join(state, "objects.json");
  const webhooks = new WebhookChecker(join(state, "sockets"));
  const { documents, sessionKey } = environment;
  const issuers = await IssuerSocket.start(join(state, "sockets"), { documents, sessionKey, warn });
  const gateway = new Gateway({
    ...{ webhooks, agents, source, environment, recorder, observer, envoy, log, warn, lastObjects, report },
    marks: new Marks(join(state, "marks.json")),
  });
  const monitor = await Monitor.start(flags.metrics, { gateway, envoy, observer }).catch((error) =>
    refuseTaken(error, flags.metrics, "--metrics"),
  );
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  await envoy.start();
  setTimeout(loadInLittleMemory(), START_MS).unref();
  environment.upstreams.follow();
  await gateway.run(stopping.signal);
  await waitAtMost(CLOSE_MS, gateway.tellLeave());
  for (const part of [envoy, reports, webhooks, issuers]) await part.stop();
  agents?.sockets.stop();
  agents?.health.close();
  agents?.authority.stop();
  // Agents that do not hang up, and requests that are tried again, may delay the end by half a second.
  await waitAtMost(CLOSE_MS, Promise.all([agents?.ssh.stop(), monitor.stop(), source.close()]));
  process.exit(0);
}

const MINUTE_MS = 60_000;
const MAX_WARNINGS = 1000;

/** Logs, and warns of a lasting fault once a minute; of 1,000 faults at most. */
function openLog(): { readonly log: Logger; readonly warn: (message: string) => void } {
  const log = pino(
    { base: undefined, hooks: { streamWrite: visible } },
    pino.destination({ dest: 2, sync: true }),
  );
  const logged = new Set<string>();
  let since = Date.now();
  const warn = (message: string) => {
    if (Date.now() - since >= MINUTE_MS) {
      logged.clear();
      since = Date.now();
    }
    if (logged.has(message) || logged.size > MAX_WARNINGS) return;
    logged.add(message);
    log.warn(
      logged.size > MAX_WARNINGS
        ? `there are more than ${MAX_WARNINGS} warnings: the others are left out for a minute. Mend those above first`
        : message,
    );
  };
  return { log, warn };
}

const nameOfMachine = (): string =>
  hostname()
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "") || "gateway";

/** Sockets are in the folder, and Linux opens no socket with a longer path. */
function refuseLongState(state: string): void {
  const longest = MAX_SOCKET_LENGTH - "/sockets/0123456789abcdef.sock".length;
  const bytes = Buffer.byteLength(state);
  if (bytes > longest)
    throw new Error(
      `the path ${state} has ${bytes} bytes, and with the sockets in it at most ${longest} fit: choose a shorter one with --state`,
    );
}

interface AgentsOptions {
  readonly state: string;
  readonly log: Logger;
  readonly warn: (message: string) => void;
  readonly api: Tunnelplane;
  /** The id of the host's certificate. */
  readonly certificate?: string;
}

async function openAgents(
  listen: Address,
  { state, log, warn, api, certificate }: AgentsOptions,
): Promise<Agents> {
  const authority = new ServerAuthority({
    gateways: api.gateways,
    file: join(state, "agents.json"),
    warn,
  });
  const sockets = new AgentSockets(join(state, "sockets"));
  const health = await answerHealth(join(state, "sockets"), sockets);
  const hostKeys = await HostKeys.open({
    file: join(state, "ssh_host_key"),
    certificate: certificate === undefined ? undefined : { id: certificate, among: api.sshHostCertificates },
    warn,
  });
  const options = {
    address: listen.host,
    port: listen.port,
    hostKeys,
    authority,
    sockets,
    log: (message: string, fields: object) => log.info(fields, message),
  };
  return {
    authority,
    hostKeys,
    sockets,
    health,
    ssh: await SshServer.start(options).catch((error) => refuseTaken(error, listen, "--ssh-listen")),
  };
}

function refuseTaken(error: NodeJS.ErrnoException, address: Address, flag: string): never {
  const at = addressText(address);
  if (error.code === "EADDRINUSE")
    throw new Error(`another process listens on ${at}: stop it, or choose another with ${flag}`);
  throw new Error(
    `${at} cannot be listened on (${error.code ?? error.message}): choose another with ${flag}`,
  );
}
