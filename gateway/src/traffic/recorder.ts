import { join } from "node:path";
import { messageOf } from "@tunnelplane/sdk/contract";
import { Job } from "@tunnelplane/sdk/jobs";
import { type Objects, objectsOf } from "../envoy/model";
import type { Recording } from "../envoy/recording";
import type { Addresses } from "./abbreviated";
import { Declared } from "./declared";
import { hourAt, TrafficFiles, trafficFolder } from "./files";
import { type Counter, Hour } from "./hour";
import { lineOf } from "./line";
import { Receiver } from "./receiver";
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
  #receiver: Receiver | undefined;
  /** One writing after the other, so that an older content never replaces a newer one. */
  readonly #writing = new Job({
    name: "write recorded traffic",
    everyMs: WRITE_EVERY_MS,
    work: () => this.#write(),
  }).start();
  #declared = new Declared(objectsOf([]));
  /**
   * By the bytes of a report; undefined for reports that are not counted. Emptied when the hour or the
   * declared objects change.
   */
  readonly #known = new Map<string, Counter | undefined>();
  /** Hours that have changed since they were written. */
  readonly #unwritten = new Set<Hour>();

  private constructor(
    readonly socket: string,
    private readonly options: Options,
    private hour: Hour,
  ) {
    this.#files = new TrafficFiles(trafficFolder(options.state));
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
    const { socket } = this;
    const take = (report: Buffer) => this.#count(report);
    this.#receiver = await Receiver.start({
      socket,
      lost: "traffic is not recorded",
      take,
      warn: this.options.warn,
    });
  }

  /** Says what Envoy serves from now on. */
  know(objects: Objects): void {
    this.#declared = new Declared(objects);
    this.#known.clear();
  }

  /** Accepts no more reports, and writes the counts. */
  async stop(): Promise<void> {
    this.#receiver?.stop();
    await this.#writing.stop();
    await this.#write();
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

  async #write(): Promise<void> {
    try {
      await this.#writeNow();
    } catch (error) {
      this.options.warn(`recorded traffic could not be written, and is tried again: ${messageOf(error)}`);
    }
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
