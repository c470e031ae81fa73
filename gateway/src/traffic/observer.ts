import { join } from "node:path";
import {
  COUNTED_CONNECTION,
  COUNTED_OF_CONNECTION,
  COUNTED_OF_REQUEST,
  COUNTED_OF_TUNNEL,
  COUNTED_REQUEST,
  COUNTED_TUNNEL,
  type Counting,
  LOGGED_OF_CONNECTION,
  LOGGED_OF_REQUEST,
  TUNNEL_ENDS,
} from "../envoy/counting";
import type { Objects, ServerCertificate } from "../envoy/model";
import type { AccessLog } from "./accessLog";
import { Observed } from "./observed";
import { Receiver } from "./receiver";
import { Refusals } from "./refusals";
import { bodiesIn, textsIn } from "./reports";
import type { Counts, Shown } from "./series";

/** The limit of connections that are followed: more than Envoy accepts. */
const MAX_CONNECTIONS = 100_000;
/** The limit of connections that ended lately: a report of their last request may come later. */
const MAX_ENDED = 10_000;

interface Options {
  /** The folder of Envoy's sockets. */
  readonly folder: string;
  /** Default: no access log. */
  readonly log: AccessLog | undefined;
  readonly warn: (message: string) => void;
}

/** A connection that is open. */
interface Open {
  readonly counts: Counts;
  /** Bytes that are counted already, of one whose bytes are passed on. */
  received: number;
  sent: number;
}

type Said<Format> = { readonly [Name in keyof Format]: string };
type Request = Said<typeof COUNTED_OF_REQUEST & typeof LOGGED_OF_REQUEST>;
type Tunnel = Said<typeof COUNTED_OF_TUNNEL>;
type Connection = Said<typeof COUNTED_OF_CONNECTION & typeof LOGGED_OF_CONNECTION>;

/** Counts what Envoy reports of each hostport, and writes the access log. */
export class Observer {
  readonly #observed = new Observed();
  readonly #open = new Map<string, Open>();
  readonly #ended = new Set<string>();
  #refusals: Refusals | undefined;
  #certificates: readonly ServerCertificate[] = [];

  private constructor(
    private readonly receiver: { stop(): void },
    readonly counting: Counting,
    private readonly log: AccessLog | undefined,
  ) {}

  static async start({ folder, log, warn }: Options): Promise<Observer> {
    const socket = join(folder, "counts.sock");
    let observer: Observer | undefined;
    const receiver = await Receiver.start({
      socket,
      lost: "requests are not counted",
      take: (report) => observer?.take(report),
      warn,
    });
    observer = new Observer(receiver, { socket, isLogged: log !== undefined }, log);
    return observer;
  }

  /** Says what Envoy serves from now on. */
  know(objects: Objects, certificates: readonly ServerCertificate[]): void {
    this.#refusals = new Refusals(objects);
    this.#certificates = certificates;
    this.#observed.know(objects);
  }

  /** An Envoy has started: its connections have other numbers. */
  forgetConnections(): void {
    for (const { counts } of this.#open.values()) counts.connections--;
    this.#open.clear();
    this.#ended.clear();
  }

  /** What is known of each hostport. @param agentsAt how many agents serve a socket */
  shown = (agentsAt: (socket: string) => number): Shown[] =>
    this.#observed.shown(this.#certificates, Date.now(), agentsAt);

  async stop(): Promise<void> {
    this.receiver.stop();
    await this.log?.close();
  }

  take(report: Buffer): void {
    for (const [start, end] of bodiesIn(report)) {
      const [kind, port = "", ...texts] = textsIn(report.subarray(start, end));
      // A text with one too many is not believed: a caller may have written the sign between them.
      if (kind === COUNTED_REQUEST) {
        const request = this.#said<Request>(texts, COUNTED_OF_REQUEST, LOGGED_OF_REQUEST);
        if (request) this.#request(port, request);
      } else if (kind === COUNTED_TUNNEL) {
        const tunnel = this.#said<Tunnel>(texts, COUNTED_OF_TUNNEL, {});
        if (tunnel) this.#tunnel(port, tunnel);
      } else if (kind === COUNTED_CONNECTION) {
        const connection = this.#said<Connection>(texts, COUNTED_OF_CONNECTION, LOGGED_OF_CONNECTION);
        if (connection) this.#connection(port, connection);
      }
    }
  }

  #said<T>(texts: readonly string[], counted: object, logged: object): T | undefined {
    const names = [...Object.keys(counted), ...(this.counting.isLogged ? Object.keys(logged) : [])];
    if (texts.length !== names.length) return undefined;
    return Object.fromEntries(names.map((name, index) => [name, texts[index]])) as T;
  }

  #request(port: string, request: Request): void {
    const found = this.#observed.find(port, request.host, request.name);
    const counts = found?.counts ?? this.#observed.other;
    const status = numberIn(request.status);
    counts.request(status, numberIn(request.milliseconds) / 1000);
    counts.received += numberIn(request.received);
    counts.sent += numberIn(request.sent);
    const route = this.#observed.route(request.route);
    const module = this.#refusals?.by({ ...request, status }, route);
    if (module) counts.refuse(module);
    this.#opened(request.connection, counts);
    this.log?.request({ ...request, hostport: found?.hostport, module });
  }

  #tunnel(port: string, { name, connection, type, received, sent }: Tunnel): void {
    const counts = this.#observed.find(port, name)?.counts ?? this.#observed.other;
    const open = this.#opened(connection, counts) ?? { counts, received: 0, sent: 0 };
    const [inwards, outwards] = [numberIn(received), numberIn(sent)];
    open.counts.received += Math.max(0, inwards - open.received);
    open.counts.sent += Math.max(0, outwards - open.sent);
    [open.received, open.sent] = [inwards, outwards];
    if (type === TUNNEL_ENDS) this.#closed(connection);
  }

  #connection(port: string, connection: Connection): void {
    const found = this.#observed.find(port, connection.name);
    const counts = found?.counts ?? this.#observed.other;
    const module = this.#refusals?.byConnection(connection, found?.edge);
    if (module) counts.refuse(module);
    this.#closed(connection.connection);
    this.log?.connection({ ...connection, hostport: found?.hostport, module });
  }

  #opened(id: string, counts: Counts): Open | undefined {
    const known = this.#open.get(id);
    if (known || this.#ended.has(id) || this.#open.size >= MAX_CONNECTIONS) return known;
    const open = { counts, received: 0, sent: 0 };
    counts.connections++;
    this.#open.set(id, open);
    return open;
  }

  #closed(id: string): void {
    const open = this.#open.get(id);
    if (open) open.counts.connections--;
    this.#open.delete(id);
    this.#ended.add(id);
    const [first] = this.#ended;
    if (this.#ended.size > MAX_ENDED && first !== undefined) this.#ended.delete(first);
  }
}

/** Envoy writes `-` where there is none. */
const numberIn = (text: string): number => Number(text) || 0;
