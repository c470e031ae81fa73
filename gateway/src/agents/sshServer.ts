import type { Duplex } from "node:stream";
import type { GatewayAgent } from "@tunnelplane/sdk";
import { type AuthContext, type ClientInfo, type Connection, Server, utils } from "ssh2";
import type { BindAuthority, Proof } from "./authority";
import { type Bind, readBindAddress, rulesOf } from "./bindAddress";
import type { HostKeys } from "./hostKeys";
import type { Agent, AgentSockets } from "./sockets";

const MOST_CONNECTIONS = 5000;
const MOST_BINDS = 100; // of one connection
const MOST_CHANNELS = 1000; // of one connection
/** Failed attempts of one address in a minute; beyond, it is not listened to. */
const MOST_FAILURES = 20;
const MOST_ADDRESSES = 10_000;
const KEEP_ALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 3 };
const REVIEWED_AT_ONCE = 8;
const OPEN_MS = 10_000;
const LOGIN_MS = 20_000;

interface Options {
  readonly address: string;
  readonly port: number;
  readonly hostKeys: HostKeys;
  readonly authority: BindAuthority;
  readonly sockets: AgentSockets;
  readonly log: (message: string, fields: object) => void;
}

/** Where agents come in: the stock `ssh -R`, for remote forwarding and nothing else. */
export class SshServer {
  readonly #sessions = new Set<Session>();
  readonly #failures = new Map<string, number>();
  readonly #forget: NodeJS.Timeout;
  readonly #server: Server;

  private constructor(private readonly options: Options) {
    // Strict key exchange is offered by ssh2 as long as its own list of exchanges is used.
    this.#server = new Server(
      { hostKeys: options.hostKeys.offered, ...KEEP_ALIVE } as ConstructorParameters<typeof Server>[0],
      (connection, info) => this.#admit(connection, info),
    );
    this.#forget = setInterval(() => this.#failures.clear(), 60_000).unref();
  }

  static async start(options: Options): Promise<SshServer> {
    const one = new SshServer(options);
    await new Promise<void>((resolve, reject) => {
      one.#server.on("error", reject);
      one.#server.listen(options.port, options.address, resolve);
    });
    return one;
  }

  #admit(connection: Connection, { ip }: ClientInfo): void {
    connection.on("error", () => connection.end());
    this.options.hostKeys.prepare(connection);
    if (this.#sessions.size >= MOST_CONNECTIONS || (this.#failures.get(ip) ?? 0) >= MOST_FAILURES) return void connection.end();
    const session = new Session(connection, ip, this.options);
    this.#sessions.add(session);
    const late = setTimeout(() => connection.end(), LOGIN_MS);
    connection.on("ready", () => clearTimeout(late));
    connection.on("close", () => {
      clearTimeout(late);
      session.close();
      this.#sessions.delete(session);
    });
    connection.on("authentication", (context) => {
      session.authenticate(context).then(
        (accepted) => {
          if (accepted) return context.accept();
          if (context.method !== "none" && this.#failures.size < MOST_ADDRESSES) this.#failures.set(ip, (this.#failures.get(ip) ?? 0) + 1);
          if ((this.#failures.get(ip) ?? 0) >= MOST_FAILURES) return void connection.end();
          return context.reject(["publickey", "password"]);
        },
        () => context.reject(["publickey", "password"]),
      );
    });
  }

  /** Ends the sessions of these credentials that no longer allow what was bound. */
  async review(credentials: ReadonlySet<string> | "all"): Promise<void> {
    const sessions = [...this.#sessions].filter(({ credential }) => credential && (credentials === "all" || credentials.has(credential)));
    for (let next = 0; next < sessions.length; next += REVIEWED_AT_ONCE)
      await Promise.all(sessions.slice(next, next + REVIEWED_AT_ONCE).map((session) => session.review()));
  }

  /** Who serves what. */
  get agents(): GatewayAgent[] {
    return [...this.#sessions].flatMap((session) => session.agent ?? []);
  }

  async stop(): Promise<void> {
    clearInterval(this.#forget);
    for (const session of this.#sessions) session.end();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

class Session {
  #proof: Proof | undefined;
  #channels = 0;
  /** The id of the credential that it came with. */
  credential: string | undefined;
  readonly #since = new Date().toISOString();
  readonly #agents = new Map<string, Agent>();

  constructor(
    private readonly connection: Connection,
    private readonly address: string,
    private readonly options: Options,
  ) {
    connection.on("request", (accept, reject, name, info) => {
      if (name === "tcpip-forward") {
        this.#bind(info.bindAddr, info.bindPort).then(
          (bound) => (bound ? accept?.() : reject?.()),
          () => reject?.(),
        );
      } else if (name === "cancel-tcpip-forward") {
        this.#unbind(`${info.bindAddr}:${info.bindPort}`);
        accept?.();
      } else reject?.();
    });
    // A stock client without -N asks for a shell; it gets a session in which nothing can be done.
    connection.on("session", (_, reject) => reject()).on("tcpip", (_, reject) => reject());
  }

  async authenticate(context: AuthContext): Promise<boolean> {
    if (context.method === "password") return this.#knows({ token: context.password });
    if (context.method !== "publickey") return false;
    const key = utils.parseKey(context.key.data);
    if (key instanceof Error) return false;
    if (context.signature && key.verify(context.blob as Buffer, context.signature, context.hashAlgo) !== true) return false;
    return this.#knows({
      public_key: `${context.key.algo.replace(/^rsa-sha2-(256|512)$/, "ssh-rsa")} ${context.key.data.toString("base64")}`,
    });
  }

  async #knows(proof: Proof): Promise<boolean> {
    const { allowed, credential } = await this.options.authority.ask(proof, []);
    this.#proof = allowed ? proof : undefined;
    this.credential = (allowed && credential) || undefined;
    return allowed;
  }

  /** Who serves here, once something is bound. */
  get agent(): GatewayAgent | undefined {
    if (!this.credential || this.#agents.size === 0) return undefined;
    const bind = [...this.#agents.values()].flatMap((agent) => rulesOf(agent.bind));
    return { credential: this.credential, bind, address: this.address, since: this.#since };
  }

  async #bind(address: string, port: number): Promise<boolean> {
    const bind = readBindAddress(address, port);
    const refuse = (reason: string) => {
      this.options.log("agent refused", { address: this.address, bind: address, port, reason });
      return false;
    };
    if (typeof bind === "string") return refuse(bind);
    if (!this.#proof || this.#agents.size >= MOST_BINDS) return refuse(`a connection may bind ${MOST_BINDS} things`);
    const { allowed, credential, reason } = await this.options.authority.ask(this.#proof, rulesOf(bind));
    if (!allowed) return refuse(`its credential does not allow it: ${reason}`);
    if (!this.options.sockets.isDeclared(bind))
      return refuse("no edge without a backend declares this hostport, and no tunnel group these labels");
    this.#unbind(`${address}:${port}`);
    const agent = this.#agentFor(bind, address, port);
    this.#agents.set(`${address}:${port}`, agent);
    this.options.sockets.add(agent);
    this.options.log("agent bound", { address: this.address, bind: address, port, credential });
    return true;
  }

  #unbind(key: string): void {
    const agent = this.#agents.get(key);
    if (!agent) return;
    this.#agents.delete(key);
    this.options.sockets.remove(agent);
  }

  #agentFor(bind: Bind, address: string, port: number): Agent {
    const channels = () => this.#channels;
    return {
      bind,
      get busy() {
        return channels();
      },
      open: () => this.#open(address, port),
    };
  }

  /** The client knows a forwarding by the very address that it sent. */
  #open(address: string, port: number): Promise<Duplex> {
    if (this.#channels >= MOST_CHANNELS) return Promise.reject(new Error("too many connections"));
    this.#channels++;
    return new Promise<Duplex>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("the agent does not answer")), OPEN_MS);
      this.connection.forwardOut(address, port, "127.0.0.1", 0, (error, channel) => {
        clearTimeout(late);
        if (error) {
          this.#channels--;
          return reject(error);
        }
        channel.once("close", () => {
          this.#channels--;
        });
        return resolve(channel);
      });
    });
  }

  async review(): Promise<void> {
    if (!this.#proof) return;
    const bound = [...this.#agents.values()].flatMap(({ bind }) => rulesOf(bind));
    const { allowed, reason } = await this.options.authority.ask(this.#proof, bound);
    if (allowed) return;
    this.options.log("agent ended, because its credential no longer allows what it has bound", { address: this.address, reason });
    this.end();
  }

  close(): void {
    for (const key of [...this.#agents.keys()]) this.#unbind(key);
  }

  end(): void {
    this.close();
    this.connection.end();
  }
}
