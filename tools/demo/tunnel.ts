import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Choices, firstTunnel } from "../../examples/first-tunnel/program";
import { Engine } from "../../tests/support/engine";
import { GatewayProcess } from "../../tests/support/gateway";
import { freePort } from "../../tests/support/ports";
import type { ServerProcess } from "../../tests/support/server";
import { expectThat, heading, say } from "./narration";

const { locateEnvoy } = require("../scripts/envoy.cjs") as { locateEnvoy(): string | undefined };
const HOST = "hello.example.com";

/**
 * A real request through a declared edge to a program behind `ssh -R`, and the same one refused after a rule
 * changed.
 */
export async function tunnel(server: ServerProcess, step: number): Promise<void> {
  heading(`${step}. A request through the declared edge`);
  const envoy = locateEnvoy();
  if (envoy === undefined) {
    say("SKIPPED: no request was made, because Envoy could not be installed; Python 3 with venv is needed.");
    say("Nothing of what follows was shown: traffic through an edge, and its refusal after a rule changed.");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "tpd-"));
  const program = createServer((_, response) => response.end("hello from a program behind ssh -R\n"));
  program.listen(0, "127.0.0.1");
  await once(program, "listening");
  const [https, ssh, metrics] = [await freePort(), await freePort(), await freePort()];
  let choices: Choices = {};
  const env = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey };
  const engine = await Engine.create({ program: async () => firstTunnel(choices), env });
  let [gateway, agent]: [GatewayProcess?, ChildProcess?] = [];
  try {
    say(
      "examples/first-tunnel/program.ts declares an edge without a backend, who may visit it, and a token that may serve it.",
    );
    await engine.up();
    const { authtoken, gatewayKey } = engine.outputs();
    const places = [
      "--url",
      server.url,
      "--state",
      folder,
      "--envoy",
      envoy,
      "--metrics",
      `127.0.0.1:${metrics}`,
    ];
    const listens = ["--listen", `443=127.0.0.1:${https}`, "--ssh-listen", `127.0.0.1:${ssh}`];
    gateway = GatewayProcess.start(["run", "--dev-ca", ...places, ...listens], {
      TUNNELPLANE_API_KEY: String(gatewayKey?.value),
    });
    await gateway.logged("edge applied");
    expectThat("a gateway, whose key changes nothing, has Envoy serve the edge", true);
    const local = `localhost:${(program.address() as AddressInfo).port}`;
    say(`ssh -N -p ${ssh} -R ${HOST}:443:${local} agent@127.0.0.1     # the password is the token`);
    agent = startAgent(folder, ssh, local, String(authtoken?.value));
    const trusted = readFileSync(join(folder, "dev-ca.pem"), "utf8");
    await until(agent, async () => (await ask(https, trusted)).status === 200);
    const { status, body } = await ask(https, trusted);
    say(`curl https://${HOST}/`);
    say(`${status}: ${body.trim()}`);
    expectThat(
      "the request reached the program, over TLS that the client checked",
      status === 200 && body.startsWith("hello"),
    );

    heading(`${step + 1}. The rule changes, and the same request is refused`);
    choices = { visitors: "192.0.2.0/24" };
    await engine.up();
    await until(agent, async () => (await ask(https, trusted)).status === 403);
    say(`curl https://${HOST}/`);
    say(`403: ${(await ask(https, trusted)).body.trim()}`);
    expectThat("visitors of another network only: this one is turned away", true);
    await engine.destroy();
  } finally {
    agent?.kill("SIGKILL");
    await gateway?.stop();
    engine.dispose();
    program.closeAllConnections();
    program.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The stock client, which asks a program for the password. */
function startAgent(folder: string, port: number, local: string, token: string): ChildProcess {
  const askpass = join(folder, "askpass");
  writeFileSync(askpass, `#!/bin/sh\necho '${token}'\n`);
  chmodSync(askpass, 0o700);
  const options = [
    "ExitOnForwardFailure=yes",
    "PreferredAuthentications=password",
    `UserKnownHostsFile=${join(folder, "known_hosts")}`,
  ];
  const flags = [
    "-N",
    "-F",
    "none",
    "-p",
    String(port),
    ...[...options, "StrictHostKeyChecking=accept-new"].flatMap((one) => ["-o", one]),
  ];
  return spawn("ssh", [...flags, "-R", `${HOST}:443:${local}`, "agent@127.0.0.1"], {
    stdio: "ignore",
    env: { ...process.env, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: "force", DISPLAY: ":0" },
  });
}

async function until(agent: ChildProcess, holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    if (agent.exitCode !== null) throw new Error(`The agent ended with ${agent.exitCode}`);
    await sleep(50);
  }
}

/** Sends a request as curl would. The status is 0 if nothing answered. */
function ask(port: number, ca: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const asked = request(
      { host: "127.0.0.1", port, servername: HOST, headers: { host: HOST }, ca, agent: false },
      (answer) => {
        let body = "";
        answer.setEncoding("utf8").on("data", (chunk) => {
          body += chunk;
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
      },
    );
    asked.on("error", () => resolve({ status: 0, body: "" })).end();
  });
}
