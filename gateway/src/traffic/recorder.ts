import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { messageOf } from "@tunnelplane/sdk/contract";
import { type Objects, objectsOf } from "../envoy/model";
import type { Recording } from "../envoy/recording";
import type { Addresses } from "./abbreviated";
import { Declared } from "./declared";
import { hourAt, TrafficFiles, trafficFolder } from "./files";
import { type Counter, Hour } from "./hour";
import { lineOf } from "./line";
import { bodiesIn, textsIn } from "./reports";

/** The traffic of this time may be lost when the gateway is killed. */
const WRITE_EVERY_MS = 5_000;
/** The limit of reports that are recognised without being read; equal requests have equal reports. */
const MAX_KNOWN = 20_000;
/**
 * The limit of hours that are kept in memory because they cannot be written (the disk is full, say); older
 * ones are dropped.
 */
const MAX_UNWRITTEN = 3;
/** Envoy reports some 512 KiB at once, plus one request at most. */
const MAX_REPORT_SIZE = 2 ** 21;
const MAX_CONNECTIONS = 256;

interface Options {
  readonly state: string;
  /** How long files are kept, in milliseconds. */
  readonly keepFor: number;
  readonly addresses: Addresses;
  readonly warn: (message: string) => void;
}

/** Takes what Envoy reports of requests, and counts it by the hour. */
export class Recorder implements Recording {
  readonly #files: TrafficFiles;
  readonly #server: Server;
  readonly #timer: NodeJS.Timeout;
  #declared = new Declared(objectsOf([]));
  /**
   * By the bytes of a report; undefined for reports that are not counted. Emptied when the hour or the
   * declared objects change.
   */
  readonly #known = new Map<string, Counter | undefined>();
  /** Hours that have changed since they were written. */
  readonly #unwritten = new Set<Hour>();
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    readonly socket: string,
    private readonly options: Options,
    private hour: Hour,
  ) {
    this.#files = new TrafficFiles(trafficFolder(options.state));
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.maxConnections = MAX_CONNECTIONS;
    // Envoy loses what it reports on a connection that ends just then.
    this.#server.keepAliveTimeout = 0;
    this.#timer = setInterval(() => void this.#write(), WRITE_EVERY_MS).unref();
  }

  /** Goes on with the hour's file. */
  static async start(options: Options): Promise<Recorder> {
    const begin = hourAt(Date.now());
    const files = new TrafficFiles(trafficFolder(options.state));
    files.deleteUntil(Date.now() - options.keepFor);
    const { hour, damaged } = await files.read(begin);
    if (damaged > 0) options.warn(`${damaged} damaged lines of recorded traffic of ${begin} are left out`);
    const recorder = new Recorder(join(options.state, "envoy", "traffic.sock"), options, hour);
    await recorder.#listen();
    return recorder;
  }

  async #listen(): Promise<void> {
    // Left by a gateway that was killed.
    rmSync(this.socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(this.socket, resolve);
    });
    this.#server.on("error", (error) => this.options.warn(`traffic is not recorded: ${messageOf(error)}`));
  }

  /** Says what Envoy serves from now on. */
  know(objects: Objects): void {
    this.#declared = new Declared(objects);
    this.#known.clear();
  }

  /** Accepts no more reports, and writes the counts. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#write();
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
        this.#count(Buffer.concat(chunks));
        response.end();
      } catch (error) {
        this.options.warn(
          `a report of Envoy could not be read (${messageOf(error)}), so requests are not counted`,
        );
        response.writeHead(400).end();
      }
    });
  }

  #count(report: Buffer): void {
    this.#turn();
    for (const [start, end] of bodiesIn(report)) {
      const bytes = report.toString("latin1", start, end);
      const counter = this.#known.has(bytes)
        ? this.#known.get(bytes)
        : this.#learn(bytes, report.subarray(start, end));
      if (counter) counter.count++;
    }
    this.#unwritten.add(this.hour);
  }

  #learn(bytes: string, body: Buffer): Counter | undefined {
    const line = lineOf(textsIn(body), this.#declared, this.options.addresses);
    const counter = line && this.hour.counter(line);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(bytes, counter);
    return counter;
  }

  /** Begins the next hour. Does nothing if the clock was set back, because that hour is written already. */
  #turn(): void {
    const begin = hourAt(Date.now());
    if (begin <= this.hour.begin) return;
    this.hour = new Hour(begin);
    this.#known.clear();
  }

  /** Writes one after the other, so that an older content never replaces a newer one. */
  #write(): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#writeNow())
      .catch((error) => {
        this.options.warn(`recorded traffic could not be written, and is tried again: ${messageOf(error)}`);
      });
    return this.#writing;
  }

  async #writeNow(): Promise<void> {
    this.#turn();
    this.#files.deleteUntil(Date.now() - this.options.keepFor);
    for (const hour of [...this.#unwritten].slice(0, -MAX_UNWRITTEN)) this.#unwritten.delete(hour);
    for (const hour of [...this.#unwritten]) {
      // Before the writing, so that requests counted meanwhile are written the next time.
      this.#unwritten.delete(hour);
      await this.#files.write(hour).catch((error) => {
        this.#unwritten.add(hour);
        throw error;
      });
    }
  }
}
