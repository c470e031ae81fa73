import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { messageOf } from "@tunnelplane/sdk/contract";
import { listenPrivately } from "../state/files";

/** Envoy reports some 512 KiB at once, plus one request at most. */
const MAX_REPORT_SIZE = 2 ** 21;
const MAX_CONNECTIONS = 256;

interface Options {
  /** The Unix socket to which Envoy sends its reports. */
  readonly socket: string;
  /** What the reports are for, for example `traffic is not recorded`, where they cannot be taken. */
  readonly lost: string;
  readonly take: (report: Buffer) => void;
  readonly warn: (message: string) => void;
}

/** Takes what Envoy reports of requests and connections, as an ExportLogsServiceRequest of OpenTelemetry. */
export class Receiver {
  readonly #server: Server;

  private constructor(private readonly options: Options) {
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.maxConnections = MAX_CONNECTIONS;
    // Envoy loses what it reports on a connection that ends just then.
    this.#server.keepAliveTimeout = 0;
  }

  static async start(options: Options): Promise<Receiver> {
    const receiver = new Receiver(options);
    await receiver.#listen();
    return receiver;
  }

  async #listen(): Promise<void> {
    const { socket, lost, warn } = this.options;
    await new Promise<void>((resolve, reject) =>
      listenPrivately(this.#server.once("error", reject), socket, resolve),
    );
    this.#server.on("error", (error) => warn(`${lost}: ${messageOf(error)}`));
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_REPORT_SIZE) request.destroy();
      else chunks.push(chunk);
    });
    request.on("error", () => response.destroy());
    request.on("end", () => {
      try {
        this.options.take(Buffer.concat(chunks));
        response.end();
      } catch (error) {
        this.options.warn(`${this.options.lost}: a report of Envoy cannot be read (${messageOf(error)})`);
        response.writeHead(400).end();
      }
    });
  }
}
