#!/usr/bin/env node
import "./nodeVersion";
import { Command, InvalidArgumentError, Option } from "commander";
import { type ServerOptions, startServer, VERSION } from ".";
import { parseEndpoints } from "./events/targets/endpoints";

// Time for requests under way to finish; what takes longer is cut off, its client sees a closed connection.
const SHUTDOWN_LIMIT_MS = 10_000;
const SHORTEST_KEY = 16;

const program = new Command("tunnelplane").description("The tunnelplane API server").version(VERSION);

program
  .command("serve")
  .description("Start the API server")
  .addOption(
    new Option("--listen <host:port>", "where to listen; port 0 takes a free one").env("TUNNELPLANE_LISTEN").default("127.0.0.1:4040"),
  )
  .addOption(new Option("--data <folder>", "where to keep everything").env("TUNNELPLANE_DATA").default("./.tunnelplane"))
  .addOption(
    new Option(
      "--database-url <url>",
      "keep everything in this PostgreSQL database instead: postgres://user:password@host:5432/database",
    ).env("TUNNELPLANE_DATABASE_URL"),
  )
  .addOption(
    new Option("--database-pool <count>", "how many connections to PostgreSQL there may be")
      .env("TUNNELPLANE_DATABASE_POOL")
      .default(10)
      .argParser(poolSize),
  )
  .addOption(
    new Option("--public-url <url>", "the address that answers name, where clients reach the server through a proxy").env(
      "TUNNELPLANE_PUBLIC_URL",
    ),
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
  .addOption(new Option("--allow-private-targets", "let events go to sites in private networks").env("TUNNELPLANE_ALLOW_PRIVATE_TARGETS"))
  .addHelpText(
    "after",
    "\nEnvironment:\n  TUNNELPLANE_BOOTSTRAP_API_KEY  an API key for the admin; without it the first start makes one and prints it once",
  )
  .action(serve);

program.parseAsync().catch(fail);

async function serve(options: Omit<ServerOptions, "bootstrapApiKey">): Promise<void> {
  const bootstrapApiKey = process.env.TUNNELPLANE_BOOTSTRAP_API_KEY || undefined;
  if (bootstrapApiKey && (bootstrapApiKey.length < SHORTEST_KEY || /\s/.test(bootstrapApiKey))) {
    throw new Error(
      `TUNNELPLANE_BOOTSTRAP_API_KEY must have at least ${SHORTEST_KEY} characters and no spaces; make one with: openssl rand -base64 32`,
    );
  }
  const publicUrl = options.publicUrl?.replace(/\/+$/, "");
  if (publicUrl !== undefined && !URL.canParse(publicUrl))
    throw new Error(`--public-url must be an absolute URL, got ${JSON.stringify(options.publicUrl)}`);
  const server = await startServer({ ...options, publicUrl, bootstrapApiKey });
  if (server.newApiKey) {
    console.log(
      `\nThe admin's API key, shown this once and never again:\n\n  ${server.newApiKey}\n\nFor programs: export TUNNELPLANE_API_KEY=<key> TUNNELPLANE_BASE_URL=${server.url}\n`,
    );
  }
  console.log(`tunnelplane ${VERSION} listens on ${server.url}, data in ${server.place}`);
  let closing = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (closing) process.exit(1); // asked twice: whoever asks wants it now
      closing = true;
      setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref();
      server.close().then(() => process.exit(0), fail);
    });
  }
}

function poolSize(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number from 1 to 9999.");
}

function fail(error: Error & { code?: string }): void {
  const cure = error.code === "EADDRINUSE" ? "; another server listens there: stop it, or choose another with --listen" : "";
  console.error(`tunnelplane: ${error.message}${cure}`);
  process.exit(1);
}
