import { loadInLittleMemory, mistypedVariables } from "@tunnelplane/sdk/node";
import { Command } from "commander";
import type { Order, Ready } from "../process";
import type { RunningServer, ServerOptions } from "../start";
import { VERSION } from "../util";
import { type AcmeFlags, acmeFrom } from "./acmeFlags";
import { withExamples } from "./examples";
import { environmentHelp, withSettings } from "./settingOptions";
import { SERVE_SETTINGS } from "./settings";
import { type SignInFlags, signInFrom } from "./signInFlags";

const MIN_KEY_LENGTH = 16;

interface Flags
  extends Omit<
      ServerOptions,
      "bootstrapApiKey" | "masterKey" | "tls" | "rateLimit" | "signIn" | "acme" | "siblings" | "warnings"
    >,
    SignInFlags,
    AcmeFlags {
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly rateLimit: number;
  readonly rateLimitLoopback: boolean;
  /** In seconds. */
  readonly shutdownLimit: number;
  readonly processes: number;
}

/** @param next what the first start says to do next, a line each */
export function serveCommand(next: readonly string[]): Command {
  const command = new Command("serve")
    .description("Start the API server")
    .addHelpText("after", environmentHelp(SERVE_SETTINGS));
  withSettings(command, SERVE_SETTINGS);
  return withExamples(
    command.action((flags: Flags) => serve(flags, next)),
    ["tunnelplane serve", "http://127.0.0.1:4040, data in ./.tunnelplane"],
    [
      "tunnelplane serve --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem",
      "for other machines, with TLS",
    ],
  );
}

async function serve(
  { tlsCert, tlsKey, rateLimit, rateLimitLoopback, shutdownLimit, processes, ...options }: Flags,
  next: readonly string[],
): Promise<void> {
  const bootstrapApiKey = process.env.TUNNELPLANE_BOOTSTRAP_API_KEY || undefined;
  if (bootstrapApiKey && (bootstrapApiKey.length < MIN_KEY_LENGTH || /\s/.test(bootstrapApiKey))) {
    throw new Error(
      `TUNNELPLANE_BOOTSTRAP_API_KEY must have at least ${MIN_KEY_LENGTH} characters and no spaces; make one with: openssl rand -base64 32`,
    );
  }
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  if (!tlsCert !== !tlsKey)
    throw new Error(
      `--tls-cert and --tls-key belong together; ${tlsCert ? "--tls-key" : "--tls-cert"} is missing`,
    );
  const { isServing, Serving }: typeof import("../process") = require("../process");
  const letGrow = loadInLittleMemory();
  if (processes > 1 && !isServing()) {
    letGrow();
    return serveTogether(processes, options.logLevel, tlsCert !== undefined, next);
  }
  const warnings = isServing() ? [] : warningsOfEnvironment();
  let server: RunningServer | undefined;
  const obey = orders(() => server, shutdownLimit);
  const siblings = isServing() ? new Serving(processes, obey) : undefined;
  const { startServer }: typeof import("../start") = require("../start");
  let isFirst = false;
  server = await startServer({
    ...options,
    publicUrl,
    bootstrapApiKey,
    showNewKey(key) {
      isFirst = true;
      console.log(`\nThe admin's API key, shown this once and never again:\n\n  ${key}\n`);
    },
    signIn: signInFrom(options),
    acme: acmeFrom(options),
    masterKey: process.env.TUNNELPLANE_MASTER_KEY,
    tls: tlsCert && tlsKey ? { cert: tlsCert, key: tlsKey } : undefined,
    rateLimit: { perSecond: rateLimit, loopback: rateLimitLoopback },
    warnings,
    siblings,
  });
  letGrow();
  const ready = { url: server.url, label: server.label, isFirst };
  if (siblings) return siblings.ready(ready);
  // Before the line that it listens, so that a signal after that line is heard.
  onSignals(obey, tlsCert !== undefined);
  announce(ready, next);
}

/** Serves with several processes, of which this one is the first. */
async function serveTogether(
  count: number,
  logLevel: Flags["logLevel"],
  hasTls: boolean,
  next: readonly string[],
): Promise<void> {
  const { NotServing, Together }: typeof import("../process") = require("../process");
  const { openLogger }: typeof import("../process") = require("../process");
  const logger = openLogger(logLevel, true);
  for (const warning of warningsOfEnvironment()) logger.warn(warning);
  const together = new Together(count, logger);
  onSignals((order) => {
    if (order === "stop") void together.stop().then((code) => process.exit(code));
    else together.order(order);
  }, hasTls);
  try {
    announce(await together.start(), next);
  } catch (error) {
    if (!(error instanceof NotServing)) throw error;
    await together.stop();
    process.exit(error.exitCode);
  }
}

/** Names variables that are meant as settings of the server, and are none. */
const warningsOfEnvironment = (): string[] =>
  mistypedVariables(
    SERVE_SETTINGS.map(({ env }) => env),
    (name) => !/^(GATEWAY|DEV|ENVOY)(_|$)/.test(name),
  );

function announce({ url, label, isFirst }: Ready, next: readonly string[]): void {
  if (isFirst) console.log(`For programs: export TUNNELPLANE_API_KEY=<key> TUNNELPLANE_BASE_URL=${url}\n`);
  console.log(`tunnelplane ${VERSION} listens on ${url}, data in ${label}`);
  console.log(`For people: ${url}/console shows what it holds, ${url}/docs the API`);
  if (isFirst)
    console.log(
      `Next, in a terminal with these two variables:\n${next.map((line) => `  ${line}\n`).join("")}`,
    );
}

/** Normalizes the URL, so that characters which are special in JSON or in addresses are percent-encoded. */
function readPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new Error(
      `--public-url must be an absolute http or https URL without user name, query and fragment, got ${JSON.stringify(text)}`,
    );
  return url.href.replace(/\/+$/, "");
}

/** A second signal to stop ends the process at once. */
function onSignals(obey: (order: Order) => void, hasTls: boolean): void {
  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      obey(isStopping ? "cut off" : "stop");
      isStopping = true;
    });
  // Whoever closes a terminal means the end. Whoever reloads a unit does not, even if nothing is to be read.
  if (hasTls || !process.stdin.isTTY) process.on("SIGHUP", () => obey("reload TLS"));
}

/** Does what signals, or the first of several processes, order. */
function orders(running: () => RunningServer | undefined, limitSeconds: number): (order: Order) => void {
  let closing = false;
  const cutOff = () => {
    running()?.logInFlight();
    process.exit(1);
  };
  return (order) => {
    const server = running();
    if (order === "reload TLS") return server?.reloadTls();
    if (order === "cut off") return cutOff();
    if (closing) return;
    closing = true;
    if (!server) process.exit(0); // it has answered nothing yet
    setTimeout(() => server.endHalfSent(), (limitSeconds * 1000) / 2).unref();
    setTimeout(cutOff, limitSeconds * 1000).unref();
    server.close().then(
      () => process.exit(0),
      (error) => {
        console.error(`tunnelplane: ${error.message}`);
        process.exit(1);
      },
    );
  };
}
