import type { AddressInfo } from "node:net";
import type { Server as TlsServer } from "node:tls";
import { messageOf } from "@tunnelplane/sdk/contract";
import { gathered } from "@tunnelplane/sdk/jobs";
import { startTracing, tracing } from "@tunnelplane/sdk/tracing";
import type { Logger } from "pino";
import { type AcmeSettings, Certificates } from "../acme";
import { bootstrap, KeyUses, noteShown } from "../auth";
import { Dispatcher, type Endpoints } from "../events";
import { buildApp, type RateLimitOptions, RequestsInFlight, readTls, type TlsFiles } from "../http";
import type { SignInSettings } from "../identities";
import { EventWaits, headOf } from "../journal";
import { ALONE, flushed, type LogLevel, openLogger, type Siblings } from "../process";
import type { NameSettings, ServerContext } from "../resources";
import type { DatabaseOptions, Store } from "../storage";
import { isLoopback, parseListen, VERSION } from "../util";
import { openContext } from "./context";
import { startJobs } from "./jobs";

/** How often, at most, a process tells the others that it has committed something. */
const TELL_EVERY_MS = 20;
// Time for event batches in flight to finish when the server stops.
const DELIVERIES_LIMIT_MS = 5_000;

export interface ServerOptions extends DatabaseOptions, Partial<NameSettings> {
  /** `<host>:<port>`; port 0 takes a free one. */
  readonly listen: string;
  /** Most connections to PostgreSQL. */
  readonly databasePool: number;
  /** The file of the master key; made on the first start. */
  readonly masterKeyFile?: string;
  /** The master key itself, instead of a file. */
  readonly masterKey?: string;
  /** The admin's first API key. Default: a new one, which is shown once. */
  readonly bootstrapApiKey?: string;
  /** Shows the admin's new API key. Called on the first start that listens, and never again. */
  readonly showNewKey?: (key: string) => void;
  /** The base address for answers. Default: the address that the client used. */
  readonly publicUrl?: string;
  /** Certificate and key for TLS. Default: plain HTTP. */
  readonly tls?: TlsFiles;
  readonly rateLimit: RateLimitOptions;
  /** Limit of requests at once; 0 for no limit. */
  readonly concurrencyLimit: number;
  /** Trusted proxies: addresses and networks, separated by commas. */
  readonly trustProxy?: string;
  /** Time limit for a request to arrive, in seconds. */
  readonly requestTimeout: number;
  /** Time limit for an idle connection, in seconds. */
  readonly keepAliveTimeout: number;
  /** Addresses to use instead of the services' public ones. */
  readonly eventEndpoint?: Endpoints;
  /** How certificates are ordered for reserved domains with a policy. */
  readonly acme: AcmeSettings;
  /** Where people sign in. Default: nowhere. */
  readonly signIn?: SignInSettings;
  /** Whether events may go to sites in private networks, and issuers of identity tokens be there. */
  readonly allowPrivateTargets?: boolean;
  /** Days to keep delivered events. */
  readonly eventRetention: number;
  readonly logLevel: LogLevel;
  /** What to warn of at the start, besides what the server finds itself. */
  readonly warnings?: readonly string[];
  /** The other processes that serve the same address. Default: none. */
  readonly siblings?: Siblings;
}

export interface RunningServer {
  /** The address that it listens on, for example `http://127.0.0.1:4040`. */
  readonly url: string;
  /** The database's name for people. */
  readonly label: string;
  /**
   * Reads certificate and key again, for new connections. If they cannot be used, logs why and keeps the old
   * ones.
   */
  reloadTls(): void;
  /** Waits for requests and batches in flight, then closes. */
  close(): Promise<void>;
  /** Hangs up on clients that have not sent their request to its end: {@link close} need not wait. */
  endHalfSent(): void;
  /** Logs the requests that are not answered yet. Call it before ending the process early. */
  logInFlight(): void;
}

/** Starts the API server. Rejects when the address is taken or the database cannot be opened. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port } = parseListen(options.listen);
  const siblings = options.siblings ?? ALONE;
  const logger = openLogger(options.logLevel, siblings.count > 1);
  for (const warning of options.warnings ?? []) logger.warn(warning);
  const tls = options.tls && readTls(options.tls);
  startTracing("tunnelplane");
  const context = await openContext(options);
  const { store, sequencer } = context;
  try {
    // Whoever gave a key uses it as soon as the server answers.
    if (options.bootstrapApiKey) await readyKeys(context, options, logger);
    // If a head is kept outside of the database, it shows later whether somebody cut off the audit log or put
    // back an older one.
    const logHead = async () => {
      await sequencer.settle();
      logger.info({ audit_head: await headOf(store.reader) }, "the end of the audit log");
    };
    const inFlight = new RequestsInFlight(options.concurrencyLimit);
    let url = "";
    const dispatcher = new Dispatcher(context, {
      targetOptions: { endpoints: options.eventEndpoint, allowPrivate: options.allowPrivateTargets },
      address: () => options.publicUrl ?? url,
      logger,
    });
    const eventWaits = new EventWaits(store);
    const tell = () => {
      dispatcher.wake();
      eventWaits.wake();
    };
    const waking = { ...context, store: afterWrites(store, wakeAll(context, siblings, tell)) };
    const keyUses = new KeyUses(store, siblings);
    const certificates = new Certificates({ context: waking, settings: options.acme, logger });
    const app = buildApp({
      ...options,
      ...{ context: waking, keyUses, dispatcher, eventWaits, siblings, logger, inFlight, tls },
      version: VERSION,
    });
    await app.listen({ host, port });
    // Not before: a start whose port is taken makes no key, which the next one could not show.
    if (!options.bootstrapApiKey) await readyKeys(context, options, logger);
    await logHead();
    // A string would be the path of a socket; the server listens on a port.
    const address = app.server.address() as AddressInfo;
    if (!tls && !isLoopback(address.address)) logger.warn(unencrypted(options.listen));
    url = urlOf(host, address.port, tls !== undefined);
    dispatcher.start();
    sequencer.start({ onMoved: tell, logger });
    const { eventRetention } = options;
    const jobs = startJobs({ context: waking, keyUses, certificates, eventRetention, logHead, logger });
    context.guard.start(logger);
    return {
      url,
      label: store.label,
      // Fastify makes a server for TLS if it gets a certificate; its types do not show that.
      reloadTls: () => reloadTls(app.server as unknown as TlsServer, options.tls, logger),
      async close() {
        const ended = Promise.all(jobs.map((job) => job.stop())).then(() => certificates.release());
        await Promise.all([app.close(), dispatcher.stop(DELIVERIES_LIMIT_MS), ended]);
        await isTried(logger, "note which API keys were used", keyUses.write());
        await isTried(logger, "read the end of the audit log", logHead());
        await closeContext(context);
        await tracing()?.close();
        await flushed(logger);
      },
      endHalfSent: () => inFlight.endHalfSent(),
      logInFlight: () => inFlight.log(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

const isTried = (logger: Logger, name: string, work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => logger.warn({ err: error }, `cannot ${name}`));

async function closeContext({ sequencer, guard, search, compute, store }: ServerContext): Promise<void> {
  await sequencer.stop();
  await Promise.all([guard.close(), search.close()]);
  await compute.close();
  await store.close();
}

const unencrypted = (listen: string): string =>
  `API keys and secrets pass unencrypted: other machines can reach ${listen} over plain HTTP. Set --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that speaks TLS`;

const urlOf = (host: string, port: number, isTls: boolean): string =>
  `${isTls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;

/** Makes the admin's key on the first start, and says what is wrong with keys. */
async function readyKeys(context: ServerContext, options: ServerOptions, logger: Logger): Promise<void> {
  const { newKey, isIgnored, isUnseen } = await bootstrap(context, options.bootstrapApiKey);
  if (newKey) {
    options.showNewKey?.(newKey);
    await noteShown(context);
  }
  if (isUnseen)
    logger.warn(
      "An earlier start made the admin's API key, and perhaps ended before it showed it: nothing was made with it so far. Without that key, run: tunnelplane keys recover",
    );
  if (isIgnored)
    logger.warn(
      "TUNNELPLANE_BOOTSTRAP_API_KEY is not a key of this database and is ignored: it counts only on the first start. Unset it, or make a new key with an admin's key; if all of those are lost, run: tunnelplane keys recover",
    );
}

/** What follows a commit: those who wait for changes look, here and in the other processes. */
function wakeAll({ sequencer }: ServerContext, siblings: Siblings, tell: () => void): () => void {
  siblings.on("committed", tell);
  const tellSiblings = gathered(TELL_EVERY_MS, () => siblings.tell("committed"));
  return () => {
    sequencer.wake();
    tell();
    if (siblings.count > 1) tellSiblings();
  };
}

function reloadTls(server: TlsServer, files: TlsFiles | undefined, logger: Logger): void {
  if (!files) return;
  try {
    server.setSecureContext(readTls(files));
    logger.info("TLS certificate and key were read again");
  } catch (error) {
    logger.error(`${messageOf(error)}. The server keeps its old certificate`);
  }
}

/** The same store, but calls back after each commit. */
export const afterWrites = (store: Store, tell: () => void): Store => ({
  ...store,
  write: async (work, options) => {
    const result = await store.write(work, options);
    tell();
    return result;
  },
});
