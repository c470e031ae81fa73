import type { dynamic } from "@pulumi/pulumi";
import { Transport } from "@tunnelplane/sdk";
import { describe, Failure } from "./failure";
import { resolveSettings, type Settings } from "./settings";

/** One for each server and key, for the life of the process: its connections serve a whole operation. */
const transports = new Map<string, Transport>();

/** The way of a provider to its server. */
export class Connection {
  #config: dynamic.Config | undefined;

  /** The host does not wait for this before the first call, so it only assigns. */
  configure(config: dynamic.Config): void {
    this.#config = config;
  }

  readonly setting = (key: string): string | undefined => this.#config?.get(key);

  /** Runs a step against the server; whatever goes wrong becomes one line. */
  async withServer<T>(step: string, run: (transport: Transport) => Promise<T>): Promise<T> {
    let settings: Settings | undefined;
    try {
      settings = resolveSettings(this.setting, process.env);
      return await run(transportTo(settings));
    } catch (error) {
      throw new Failure(describe(error, settings), step);
    }
  }
}

function transportTo(settings: Settings): Transport {
  const key = `${settings.baseUrl} ${settings.apiKey}`;
  let transport = transports.get(key);
  if (!transport) {
    transport = new Transport(settings);
    transports.set(key, transport);
  }
  return transport;
}
