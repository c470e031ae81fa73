import { Command } from "commander";
import type { RunningServer, ServerOptions } from "../server";
import { VERSION } from "../version";
import { type AcmeFlags, acmeFrom } from "./acmeFlags";
import { withExamples } from "./examples";
import { environmentHelp, SERVE_SETTINGS, withSettings } from "./settings";
import { type SignInFlags, signInFrom } from "./signInFlags";

const SHORTEST_KEY = 16;

interface Flags
  extends Omit<ServerOptions, "bootstrapApiKey" | "masterKey" | "tls" | "rateLimit" | "signIn" | "acme">,
    SignInFlags,
    AcmeFlags {
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly rateLimit: number;
  readonly rateLimitLoopback: boolean;
  /** In seconds. */
  readonly shutdownLimit: number;
}

export function serveCommand(): Command {
  const command = new Command("serve")
    .description("Start the API server")
    .addHelpText("after", environmentHelp(SERVE_SETTINGS));
  withSettings(command, SERVE_SETTINGS);
  return withExamples(
    command.action(serve),
    ["tunnelplane serve", "http://127.0.0.1:4040, data in ./.tunnelplane"],
    [
      "tunnelplane serve --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem",
      "for other machines, with TLS",
    ],
  );
}

async function serve({
  tlsCert,
  tlsKey,
  rateLimit,
  rateLimitLoopback,
  shutdownLimit,
  ...options
}: Flags): Promise<void> {
  const bootstrapApiKey = process.env.TUNNELPLANE_BOOTSTRAP_API_KEY || undefined;
  if (bootstrapApiKey && (bootstrapApiKey.length < SHORTEST_KEY || /\s/.test(bootstrapApiKey))) {
    throw new Error(
      `TUNNELPLANE_BOOTSTRAP_API_KEY must have at least ${SHORTEST_KEY} characters and no spaces; make one with: openssl rand -base64 32`,
    );
  }
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  if (!tlsCert !== !tlsKey)
    throw new Error(
      `--tls-cert and --tls-key belong together; ${tlsCert ? "--tls-key" : "--tls-cert"} is missing`,
    );
  const { startServer }: typeof import("../server") = require("../server");
  let isFirst = false;
  const server = await startServer({
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
  });
  // Before the line that it listens, so that a signal after that line is heard.
  if (tlsCert) process.on("SIGHUP", () => server.reloadTls());
  stopOnSignals(server, shutdownLimit);
  if (isFirst)
    console.log(`For programs: export TUNNELPLANE_API_KEY=<key> TUNNELPLANE_BASE_URL=${server.url}\n`);
  console.log(`tunnelplane ${VERSION} listens on ${server.url}, data in ${server.place}`);
  console.log(`For people: ${server.url}/console shows what it holds, ${server.url}/docs the API`);
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

function stopOnSignals(server: RunningServer, limitSeconds: number): void {
  let closing = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      const cutOff = () => {
        server.logUnderWay();
        process.exit(1);
      };
      if (closing) cutOff(); // a second signal ends the process at once
      closing = true;
      setTimeout(cutOff, limitSeconds * 1000).unref();
      server.close().then(
        () => process.exit(0),
        (error) => {
          console.error(`tunnelplane: ${error.message}`);
          process.exit(1);
        },
      );
    });
  }
}
