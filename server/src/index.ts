import type { AddressInfo } from "node:net";
import { type DestinationStream, type Level, pino } from "pino";
import { bootstrap } from "./accounts";
import { Documents } from "./documents";
import type { Endpoints } from "./events/targets/endpoints";
import { buildApp } from "./http/app";
import { placeholderOf } from "./placeholder";
import { openPostgres } from "./storage/postgres";
import { openSqlite } from "./storage/sqlite";

export const VERSION: string = (require("../package.json") as { version: string }).version;

export interface ServerOptions {
  /** `<host>:<port>`; port 0 takes a free one. */
  readonly listen: string;
  /** Folder of the embedded database, where there is no other. */
  readonly data: string;
  /** A PostgreSQL database to use instead. */
  readonly databaseUrl?: string;
  /** How many connections to it there may be. */
  readonly databasePool: number;
  /** An API key for the admin, instead of one that is made up and shown. */
  readonly bootstrapApiKey?: string;
  /** The address that answers name; without it, the one the client used. */
  readonly publicUrl?: string;
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
  /** Finishes what is under way, then closes. */
  close(): Promise<void>;
}

/** Starts the API server. Rejects when the address is taken or the database cannot be opened. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port } = parseListen(options.listen);
  const logger = pino(
    { level: options.logLevel, name: "tunnelplane", base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    options.logs ?? pino.destination({ dest: 2, sync: true }),
  );
  const store = options.databaseUrl
    ? await openPostgres({ url: options.databaseUrl, pool: options.databasePool })
    : await openSqlite(options.data);
  try {
    const documents = new Documents(await placeholderOf(store));
    const newApiKey = await bootstrap(store, documents, options.bootstrapApiKey);
    const app = buildApp({ store, documents, logger, version: VERSION, publicUrl: options.publicUrl });
    await app.listen({ host, port });
    const address = app.server.address() as AddressInfo;
    return {
      url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
      newApiKey,
      place: store.place,
      async close() {
        await app.close();
        await store.close();
      },
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
