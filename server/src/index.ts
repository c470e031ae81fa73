import type { AddressInfo } from "node:net";
import type { Server as TlsServer } from "node:tls";
import { type DestinationStream, type Level, pino } from "pino";
import { bootstrap } from "./accounts";
import { isLoopback } from "./addresses";
import { openCore } from "./core";
import type { Endpoints } from "./events/targets/endpoints";
import { buildApp } from "./http/app";
import type { RateLimitOptions } from "./http/rateLimits";
import { RequestsUnderWay } from "./http/requestsUnderWay";
import { forgetAnswers } from "./idempotency";
import { sealWhatIsClear } from "./sealing/sealAll";
import type { DatabaseOptions } from "./storage/open";
import { readTls, type TlsFiles } from "./tls";

export const VERSION: string = (require("../package.json") as { version: string }).version;

const FORGET_EVERY_MS = 10 * 60_000;

export interface ServerOptions extends DatabaseOptions {
  /** `<host>:<port>`; port 0 takes a free one. */
  readonly listen: string;
  /** How many connections to PostgreSQL there may be. */
  readonly databasePool: number;
  /** The file of the master key; made on the first start. */
  readonly masterKeyFile?: string;
  /** The master key itself, instead of a file. */
  readonly masterKey?: string;
  /** An API key for the admin, instead of one that is made up and shown. */
  readonly bootstrapApiKey?: string;
  /** The address that answers name; without it, the one the client used. */
  readonly publicUrl?: string;
  /** Speak TLS with these; plain HTTP without them. */
  readonly tls?: TlsFiles;
  readonly rateLimit: RateLimitOptions;
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
    options.logs ?? pino.destination({ dest: 2, sync: false }),
  );
  const tls = options.tls && readTls(options.tls);
  const core = await openCore(options);
  const { store } = core;
  try {
    await sealWhatIsClear(core);
    const newApiKey = await bootstrap(core, options.bootstrapApiKey);
    const forgetting = setInterval(
      () => store.write(forgetAnswers).catch((error) => logger.warn({ err: error }, "kept answers")),
      FORGET_EVERY_MS,
    );
    forgetting.unref();
    const underWay = new RequestsUnderWay();
    const app = buildApp({ ...options, core, logger, underWay, version: VERSION, tls });
    await app.listen({ host, port });
    const address = app.server.address() as AddressInfo;
    if (!tls && !isLoopback(address.address))
      logger.warn(
        `API keys and secrets pass unencrypted: ${options.listen} can be reached from other machines, over plain HTTP. Give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that speaks TLS`,
      );
    return {
      url: `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
      newApiKey,
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
        clearInterval(forgetting);
        await app.close();
        await store.close();
      },
      logUnderWay: () => underWay.log(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function parseListen(listen: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(listen);
  const port = Number(match?.[3]);
  if (!match || port > 65535)
    throw new Error(`Cannot listen on ${JSON.stringify(listen)}: expected "<host>:<port>", for example "127.0.0.1:4040"`);
  return { host: (match[1] ?? match[2]) as string, port };
}
