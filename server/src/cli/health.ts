import { get as getHttp } from "node:http";
import { get as getHttps } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, messageOf } from "@tunnelplane/sdk/contract";
import { Command, Option } from "commander";
import { parseListen } from "../util";
import { withExamples } from "./examples";
import { NegativeAnswer, UsageError } from "./failures";
import { wholeNumber, withSettings } from "./settingOptions";
import { SERVE_SETTINGS } from "./settings";

/** Less than the time that a container's health check has. */
const TIMEOUT_MS = 2_500;
const AGAIN_MS = 100;
/** What decides where the server is asked. Other flags of `serve` are taken, so that all may be repeated. */
const READ = ["listen", "tlsCert", "tlsKey"];

interface Flags {
  readonly listen: string;
  readonly tlsCert?: string;
  readonly wait: number;
}

export function healthCommand(): Command {
  const command = new Command("health").description(
    "Ask the server that these settings describe, on this machine, whether it serves; exit code 0 if it does, else 1",
  );
  withSettings(command, SERVE_SETTINGS);
  for (const option of command.options) if (!READ.includes(option.attributeName())) option.hideHelp();
  command
    .addOption(
      new Option("--wait <seconds>", "ask again until it serves, for this many seconds at most")
        .default(0)
        .argParser(wholeNumber(0, 3600)),
    )
    .addHelpText("after", "\nIt takes every flag and variable that serve takes.")
    .action(health);
  return withExamples(command, ["tunnelplane health", "in the health check of a container or a unit"]);
}

async function health({ listen, tlsCert, wait }: Flags): Promise<void> {
  const url = addressOf(listen, tlsCert !== undefined);
  for (const end = performance.now() + wait * 1000; ; await sleep(AGAIN_MS)) {
    const fault = await faultOf(url);
    if (fault === undefined) return console.log(`${url} serves`);
    if (performance.now() < end) continue;
    console.error(`${url} does not serve: ${fault}`);
    throw new NegativeAnswer();
  }
}

/** Where this machine reaches a server that listens there. */
function addressOf(listen: string, hasTls: boolean): string {
  const { host, port } = parseListen(listen);
  if (port === 0)
    throw new UsageError("port 0 takes a free port, which only the server knows: give --listen a port");
  const near = host === "0.0.0.0" ? "127.0.0.1" : /^[0:]+$/.test(host) ? "::1" : host;
  return `${hasTls ? "https" : "http"}://${near.includes(":") ? `[${near}]` : near}:${port}/readyz`;
}

/** Why the server does not serve, if so. Its certificate is for names that others use: not checked here. */
const faultOf = (url: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, agent: false, rejectUnauthorized: false };
    const get = url.startsWith("https:") ? getHttps : getHttp;
    const request = get(url, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? undefined : `it answers ${answer.statusCode}; its log says why`);
    });
    request.once("timeout", () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    request.once("error", (error) =>
      resolve(codeOf(error) === "EPROTO" ? "what listens there does not speak TLS" : messageOf(error)),
    );
  });
