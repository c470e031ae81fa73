import { Command, InvalidArgumentError, Option } from "commander";
import ipaddr from "ipaddr.js";
import { parseEndpoints } from "../events/targets/endpoints";
import { type RunningServer, type ServerOptions, startServer, VERSION } from "../server";
import { databaseOptions, masterKeyOption, wholeNumber } from "./options";

const SHORTEST_KEY = 16;

interface Flags extends Omit<ServerOptions, "bootstrapApiKey" | "masterKey" | "tls" | "rateLimit"> {
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly rateLimit: number;
  readonly rateLimitLoopback: boolean;
  /** In seconds. */
  readonly shutdownLimit: number;
}

export function serveCommand(): Command {
  const command = new Command("serve").description("Start the API server");
  command.addOption(
    new Option("--listen <host:port>", "where to listen; port 0 takes a free one").env("TUNNELPLANE_LISTEN").default("127.0.0.1:4040"),
  );
  for (const option of [...databaseOptions(), masterKeyOption()]) command.addOption(option);
  return command
    .addOption(
      new Option("--database-pool <count>", "how many connections to PostgreSQL there may be")
        .env("TUNNELPLANE_DATABASE_POOL")
        .default(10)
        .argParser(wholeNumber(1, 9999)),
    )
    .addOption(
      new Option("--public-url <url>", "the address that answers name, where clients reach the server through a proxy").env(
        "TUNNELPLANE_PUBLIC_URL",
      ),
    )
    .addOption(
      new Option(
        "--tls-cert <file>",
        "speak TLS with this certificate (PEM, with those that lead to its authority); SIGHUP reads it again",
      ).env("TUNNELPLANE_TLS_CERT"),
    )
    .addOption(new Option("--tls-key <file>", "the certificate's private key (PEM)").env("TUNNELPLANE_TLS_KEY"))
    .addOption(
      new Option(
        "--rate-limit <count>",
        "how many requests an API key may make in a second, and ten times that more in a minute; 0 for no limit",
      )
        .env("TUNNELPLANE_RATE_LIMIT")
        .default(100)
        .argParser(wholeNumber(0, 1_000_000)),
    )
    .addOption(
      new Option("--rate-limit-loopback", "limit clients on this machine, too").env("TUNNELPLANE_RATE_LIMIT_LOOPBACK").default(false),
    )
    .addOption(
      new Option(
        "--concurrency-limit <count>",
        "how many requests are worked on at once, at most half of them of one owner; more are answered 503; 0 for no limit",
      )
        .env("TUNNELPLANE_CONCURRENCY_LIMIT")
        .default(128)
        .argParser(wholeNumber(0, 1_000_000)),
    )
    .addOption(
      new Option(
        "--trust-proxy <addresses>",
        "proxies whose X-Forwarded-For is believed: addresses and networks with commas between, or loopback",
      )
        .env("TUNNELPLANE_TRUST_PROXY")
        .argParser(proxies),
    )
    .addOption(
      new Option("--request-timeout <seconds>", "how long a request may take to arrive")
        .env("TUNNELPLANE_REQUEST_TIMEOUT")
        .default(30)
        .argParser(wholeNumber(1, 3600)),
    )
    .addOption(
      new Option("--keep-alive-timeout <seconds>", "how long a connection may wait for its next request")
        .env("TUNNELPLANE_KEEP_ALIVE_TIMEOUT")
        .default(72)
        .argParser(wholeNumber(1, 3600)),
    )
    .addOption(
      new Option("--shutdown-limit <seconds>", "how long requests under way may take to finish once the server is told to stop")
        .env("TUNNELPLANE_SHUTDOWN_LIMIT")
        .default(10)
        .argParser(wholeNumber(0, 3600)),
    )
    .addOption(
      new Option("--log-level <level>", "how much to log, as JSON on standard error")
        .env("TUNNELPLANE_LOG_LEVEL")
        .choices(["silent", "error", "warn", "info", "debug"])
        .default("info"),
    )
    .addOption(
      new Option("--event-endpoint <service>=<url>", "where a service that events go to is reached instead; may be repeated")
        .env("TUNNELPLANE_EVENT_ENDPOINTS")
        .argParser(parseEndpoints),
    )
    .addOption(
      new Option("--event-retention <days>", "how long events are kept once they are delivered")
        .env("TUNNELPLANE_EVENT_RETENTION")
        .default(30)
        .argParser(wholeNumber(1, 36_500)),
    )
    .addOption(new Option("--allow-private-targets", "let events go to sites in private networks").env("TUNNELPLANE_ALLOW_PRIVATE_TARGETS"))
    .addHelpText(
      "after",
      "\nEnvironment:\n  TUNNELPLANE_BOOTSTRAP_API_KEY  the admin's first API key; without it the first start makes one and prints it once. Later starts ignore it: a lost key is\n                                 replaced by tunnelplane keys recover\n  TUNNELPLANE_MASTER_KEY         the master key itself (32 bytes in base64), instead of a file",
    )
    .action(serve);
}

async function serve({ tlsCert, tlsKey, rateLimit, rateLimitLoopback, shutdownLimit, ...options }: Flags): Promise<void> {
  const bootstrapApiKey = process.env.TUNNELPLANE_BOOTSTRAP_API_KEY || undefined;
  if (bootstrapApiKey && (bootstrapApiKey.length < SHORTEST_KEY || /\s/.test(bootstrapApiKey))) {
    throw new Error(
      `TUNNELPLANE_BOOTSTRAP_API_KEY must have at least ${SHORTEST_KEY} characters and no spaces; make one with: openssl rand -base64 32`,
    );
  }
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  if (!tlsCert !== !tlsKey) throw new Error(`--tls-cert and --tls-key belong together; ${tlsCert ? "--tls-key" : "--tls-cert"} is missing`);
  const server = await startServer({
    ...options,
    publicUrl,
    bootstrapApiKey,
    masterKey: process.env.TUNNELPLANE_MASTER_KEY,
    tls: tlsCert && tlsKey ? { cert: tlsCert, key: tlsKey } : undefined,
    rateLimit: { perSecond: rateLimit, loopback: rateLimitLoopback },
  });
  if (server.newApiKey) {
    console.log(
      `\nThe admin's API key, shown this once and never again:\n\n  ${server.newApiKey}\n\nFor programs: export TUNNELPLANE_API_KEY=<key> TUNNELPLANE_BASE_URL=${server.url}\n`,
    );
  }
  console.log(`tunnelplane ${VERSION} listens on ${server.url}, data in ${server.place}`);
  if (tlsCert) process.on("SIGHUP", () => server.reloadTls());
  stopOnSignals(server, shutdownLimit);
}

/** In the one form that answers can repeat: what JSON or an address would take for its own is percent-encoded. */
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
      if (closing) cutOff(); // asked twice: whoever asks wants it now
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

function proxies(text: string): string {
  const isOne = (entry: string) => entry === "loopback" || ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry);
  if (text.split(",").every((entry) => isOne(entry.trim()))) return text;
  throw new InvalidArgumentError(
    'Expected addresses and networks with commas between, for example "10.0.0.7,192.168.0.0/16", or "loopback".',
  );
}
