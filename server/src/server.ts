import "@tunnelplane/sdk/node";

import type { AddressInfo } from "node:net";
import type { Server as TlsServer } from "node:tls";
import { type DestinationStream, type Level, pino } from "pino";
import { bootstrap } from "./auth";
import { openContext } from "./context";
import { Dispatcher, type Endpoints, pruneEvents } from "./events";
import { buildApp, type RateLimitOptions, RequestsUnderWay, readTls, type TlsFiles } from "./http";
import { headOf } from "./journal";
import { forgetAnswers } from "./resources";
import { sealWhatIsClear } from "./rotation";
import type { DatabaseOptions, Store } from "./storage";
import { isLoopback } from "./util";

export const VERSION: string = (require("../package.json") as { version: string }).version;

const FORGET_EVERY_MS = 10 * 60_000;
const PRUNE_EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
// Lines of requests are written together: one by one, writing took longer than making them. The end of the process writes what is left.
const LOG_BUFFER = { minLength: 4096, periodicFlush: 100 } as const; // bytes, ms
// How long batches of events that are with their services may take once the server is told to stop.
const DELIVERIES_LIMIT_MS = 5_000;

export interface ServerOptions extends DatabaseOptions {
  /** `<host>:<port>`; port 0 takes a free one. */
  readonly listen: string;
  /** How many connections to PostgreSQL there may be. */
  readonly databasePool: number;
  /** The file of the master key; made on the first start. */
  readonly masterKeyFile?: string;
  /** The master key itself, instead of a file. */
  readonly masterKey?: string;
  /** The admin's first API key, instead of one that is made up and shown. */
  readonly bootstrapApiKey?: string;
  /** The address that answers name; without it, the one the client used. */
  readonly publicUrl?: string;
  /** Speak TLS with these; plain HTTP without them. */
  readonly tls?: TlsFiles;
  readonly rateLimit: RateLimitOptions;
  /** How many requests are worked on at once, before further ones are refused; 0 for no limit. */
  readonly concurrencyLimit: number;
  /** Proxies whose word on the client is taken, as addresses and networks with commas between. */
  readonly trustProxy?: string;
  /** How long a request may take to arrive, in seconds. */
  readonly requestTimeout: number;
  /** How long a connection may wait for its next request, in seconds. */
  readonly keepAliveTimeout: number;
  /** Where services that events go to are reached instead of where their makers run them. */
  readonly eventEndpoint?: Endpoints;
  /** Whether events may go to sites in private networks. */
  readonly allowPrivateTargets?: boolean;
  /** How many days events are kept once they are delivered. */
  readonly eventRetention: number;
  readonly logLevel: Level | "silent";
  /** Where logs go; standard error by default. */
  readonly logs?: DestinationStream;
}

export interface RunningServer {
  /** Where it listens, for example `http://127.0.0.1:4040`. */
  readonly url: string;
  /** The admin's API key, on the first start only and only when none was given. */
  readonly newApiKey: string | undefined;
  /** Where everything is kept, for people to read. */
  readonly place: string;
  /** Reads certificate and key again, for connections from now on. Goes on with the old ones, and logs why, where the new cannot be used. */
  reloadTls(): void;
  /** Finishes what is under way, then closes. */
  close(): Promise<void>;
  /** Logs the requests that are not answered yet, for whoever ends the process nevertheless. */
  logUnderWay(): void;
}

/** Starts the API server. Rejects when the address is taken or the database cannot be opened. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port } = parseListen(options.listen);
  const logger = pino(
    { level: options.logLevel, name: "tunnelplane", base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    options.logs ?? pino.destination({ dest: 2, sync: false, ...LOG_BUFFER }),
  );
  /** Does something again and again, without keeping the process alive for it; the next time may succeed. */
  const every = (ms: number, failure: string, work: () => Promise<unknown>): NodeJS.Timeout =>
    setInterval(() => work().catch((error: unknown) => logger.warn({ err: error }, failure)), ms).unref();
  const tls = options.tls && readTls(options.tls);
  const context = await openContext(options);
  const { store } = context;
  try {
    await sealWhatIsClear(context);
    const { newKey, isIgnored } = await bootstrap(context, options.bootstrapApiKey);
    if (isIgnored)
      logger.warn(
        "TUNNELPLANE_BOOTSTRAP_API_KEY is no key of this database and is ignored: it is taken only before the first admin's key was made. Unset it, or make a key with an admin's; where all of them are lost, run: tunnelplane keys recover",
      );
    // Outside of the database it shows later whether the audit log was cut or put back.
    const logHead = async () => logger.info({ audit_head: await headOf(store.reader) }, "the end of the audit log");
    await logHead();
    const housekeeping = [
      every(FORGET_EVERY_MS, "cannot forget kept answers", () => store.write(forgetAnswers)),
      every(PRUNE_EVERY_MS, "cannot prune old events", () => pruneEvents(store, new Date(Date.now() - options.eventRetention * DAY_MS))),
      every(DAY_MS, "cannot read the end of the audit log", logHead),
    ];
    const underWay = new RequestsUnderWay(options.concurrencyLimit);
    let url = "";
    const dispatcher = new Dispatcher(context, {
      targetOptions: { endpoints: options.eventEndpoint, allowPrivate: options.allowPrivateTargets },
      address: () => options.publicUrl ?? url,
      logger,
    });
    const waking = { ...context, store: afterWrites(store, () => dispatcher.wake()) };
    const app = buildApp({ ...options, context: waking, dispatcher, logger, underWay, version: VERSION, tls });
    await app.listen({ host, port });
    const address = app.server.address() as AddressInfo;
    if (!tls && !isLoopback(address.address))
      logger.warn(
        `API keys and secrets pass unencrypted: ${options.listen} can be reached from other machines, over plain HTTP. Give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that speaks TLS`,
      );
    url = `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
    dispatcher.start();
    return {
      url,
      newApiKey: newKey,
      place: store.place,
      reloadTls() {
        if (!options.tls) return;
        try {
          (app.server as unknown as TlsServer).setSecureContext(readTls(options.tls));
          logger.info("TLS certificate and key were read again");
        } catch (error) {
          logger.error(`${(error as Error).message}. The server goes on with the certificate that it had`);
        }
      },
      async close() {
        for (const timer of housekeeping) clearInterval(timer);
        await Promise.all([app.close(), dispatcher.stop(DELIVERIES_LIMIT_MS)]);
        await logHead().catch((error: unknown) => logger.warn({ err: error }, "cannot read the end of the audit log"));
        await context.validation.close();
        await store.close();
      },
      logUnderWay: () => underWay.log(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The same store, telling of everything that was committed through it. */
const afterWrites = (store: Store, tell: () => void): Store => ({
  ...store,
  write: async (work) => {
    const result = await store.write(work);
    tell();
    return result;
  },
});

function parseListen(listen: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(listen);
  const port = Number(match?.[3]);
  if (!match || port > 65535)
    throw new Error(`Cannot listen on ${JSON.stringify(listen)}: expected "<host>:<port>", for example "127.0.0.1:4040"`);
  return { host: (match[1] ?? match[2]) as string, port };
}
