import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { atEndOfFile } from "./endOfFile";

/** What becomes of a statement on its way to PostgreSQL. */
export type Passage =
  | "pass"
  /** It does not reach PostgreSQL, and nothing else passes any more. */
  | "hold"
  /** PostgreSQL carries it out, but its answer and everything after it is lost. */
  | "hold the answer";

/** Asked for each statement of a connection, with its SQL, and what the connection has sent before. */
export type Watch = (statement: string, before: ReadonlySet<string>) => Passage | Promise<Passage>;

// Types of messages from a client: https://www.postgresql.org/docs/current/protocol-message-formats.html
const [PARSE, BIND, QUERY, SYNC, READY] = ["P", "B", "Q", "S", "Z"].map((type) => type.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
];

/** Stands between a server and PostgreSQL, and knows which statement passes. Without TLS. */
export class PostgresProxy {
  readonly #sockets = new Set<Socket>();
  #stopped = false;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    atEndOfFile(() => this.stop());
  }

  /** @param url of the database @param watch passes everything by default */
  static async start(url: string, watch: Watch = () => "pass"): Promise<PostgresProxy> {
    const target = new URL(url);
    const server = createServer();
    const proxy = new PostgresProxy(server, target);
    server.on("connection", (client) => proxy.#connect(client, watch));
    await once(server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }

  #connect(client: Socket, watch: Watch): void {
    const database = connect(Number(this.target.port), this.target.hostname);
    for (const socket of [client, database]) {
      this.#sockets.add(socket.setNoDelay());
      socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
    }
    client.on("close", () => database.destroy());
    database.on("close", () => client.destroy());
    let silent = false;
    let answered: (() => void) | undefined;
    database.on("data", (bytes) => {
      if (!silent) client.write(bytes);
      else if (bytes.includes(READY)) answered?.();
    });
    const statements = new Statements();
    const before = new Set<string>();
    let last = Promise.resolve();
    client.on("data", (bytes) => {
      last = last.then(async () => {
        for (const { message, sql } of statements.read(bytes)) {
          if (this.#stopped || silent) return;
          const passage = sql === undefined ? "pass" : await watch(sql, before);
          if (sql !== undefined) before.add(sql);
          if (passage === "hold") {
            silent = true;
            return;
          }
          if (passage === "hold the answer") {
            silent = true;
            const done = new Promise<void>((resolve) => {
              answered = resolve;
            });
            database.write(message);
            await done;
            return;
          }
          database.write(message);
        }
      });
    });
  }
}

/** Cuts what a client sends into messages, up to each statement's end, and finds the statement's SQL. */
class Statements {
  #rest = Buffer.alloc(0);
  #started = false;
  #gathered: Buffer[] = [];
  #sql: string | undefined;
  readonly #prepared = new Map<string, string>();

  *read(bytes: Buffer): Generator<{ message: Buffer; sql: string | undefined }> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      // The first message has no type.
      const header = this.#started ? 1 : 0;
      if (this.#rest.length < header + 4) return;
      const length = header + this.#rest.readInt32BE(header);
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      const type = header ? message[0] : undefined;
      this.#started = true;
      this.#gathered.push(message);
      if (type === QUERY) this.#sql = textsOf(message, 5)[0];
      if (type === PARSE) {
        const [name = "", sql = ""] = textsOf(message, 5);
        this.#prepared.set(name, sql);
      }
      if (type === BIND) this.#sql = this.#prepared.get(textsOf(message, 5)[1] ?? "");
      if (type === PARSE || (type !== SYNC && type !== QUERY && this.#sql !== undefined)) continue;
      yield { message: Buffer.concat(this.#gathered), sql: this.#sql };
      this.#gathered = [];
      this.#sql = undefined;
    }
  }
}

/** The texts at a place of a message; each ends with a zero. */
const textsOf = (message: Buffer, from: number): string[] => message.toString("latin1", from).split("\0");
