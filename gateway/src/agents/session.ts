import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayAgent } from "@tunnelplane/sdk";
import { type AuthContext, type Connection, utils } from "ssh2";
import type { BindAuthority, Proof } from "./authority";
import { type Bind, readBindAddress, rulesOf } from "./bindAddress";
import type { Visitor } from "./door";
import type { Agent, AgentSockets } from "./sockets";
import { debugMessage, disconnectMessage, insideOf, send } from "./ssh2Inside";

const MOST_BINDS = 100; // of one connection
const MOST_CHANNELS = 1000; // of one connection
const OPEN_MS = 10_000;
const MOST_REASONS = 3; // the stock client shows 400 bytes
const SETTLE_MS = 200;
const UNDECLARED =
  "no edge without a backend declares this hostport, and no tunnel group these labels. Declare it, or correct -R";
/** For an agent to hang up when it is told to. */
export const LEAVE_MS = 1000;

export interface SessionOptions {
  readonly authority: BindAuthority;
  readonly sockets: AgentSockets;
  readonly log: (message: string, fields: object) => void;
}

/** What an agent does on its connection. */
export class Session {
  #proof: Proof | undefined;
  #channels = 0;
  #isClosed = false;
  /** Binds that the authority is being asked about. */
  #asked = 0;
  /** The id of the credential that it came with. */
  credential: string | undefined;
  /** Ends when all that it asked to bind so far is answered. */
  #settled: Promise<unknown> = Promise.resolve();
  #refused = 0;
  /** Why its first binds were refused. */
  readonly #reasons: string[] = [];
  readonly #since = new Date().toISOString();
  readonly #agents = new Map<string, Agent>();

  constructor(
    private readonly connection: Connection,
    private readonly visitor: Visitor,
    private readonly options: SessionOptions,
  ) {
    connection.on("request", (accept, reject, name, info) => {
      if (name === "tcpip-forward") {
        const bound = this.#bind(info.bindAddr, info.bindPort);
        this.#settled = Promise.allSettled([this.#settled, bound]);
        bound.then(
          (bound) => (bound ? accept?.() : reject?.()),
          () => reject?.(),
        );
      } else if (name === "cancel-tcpip-forward") {
        this.#unbind(`${info.bindAddr}:${info.bindPort}`);
        accept?.();
      } else reject?.();
    });
    // A stock client without -N asks for a shell, and there is none.
    // It leaves when that is refused, so what it asked to bind is answered first.
    connection.on("session", (_, reject) => void this.#settled.then(() => this.#isClosed || reject()));
    connection.on("tcpip", (_, reject) => reject());
  }

  /** Whether the agent may log in or, where it only asks about a key, try to. */
  async authenticate(context: AuthContext): Promise<boolean> {
    const proof = proofOf(context);
    if (!proof) return false;
    const { allowed, credential } = await this.options.authority.ask(proof, []);
    if (!allowed || (context.method === "publickey" && !context.signature)) return allowed;
    this.#proof = proof;
    this.credential = credential ?? undefined;
    return true;
  }

  /** Who serves here, once something is bound. */
  get agent(): GatewayAgent | undefined {
    if (!this.credential || this.#agents.size === 0) return undefined;
    const bind = [...this.#agents.values()].flatMap((agent) => rulesOf(agent.bind));
    return { credential: this.credential, bind, address: this.visitor.ip, since: this.#since };
  }

  async #bind(address: string, port: number): Promise<boolean> {
    const bind = readBindAddress(address, port);
    const refuse = (reason: string, logged = reason) => {
      this.options.log("agent refused", {
        address: this.visitor.ip,
        bind: address,
        port,
        credential: this.credential,
        reason: logged,
      });
      return this.#tell(reason);
    };
    if (typeof bind === "string") return refuse(bind);
    if (!this.#proof || this.#agents.size + this.#asked >= MOST_BINDS)
      return refuse(`a connection may bind ${MOST_BINDS} things`);
    this.#asked++;
    const { allowed, credential, reason } = await this.options.authority
      .ask(this.#proof, rulesOf(bind))
      .finally(() => {
        this.#asked--;
      });
    if (this.#isClosed) return false;
    if (!allowed) return refuse(reason, `its credential does not allow it: ${reason}`);
    if (!this.options.sockets.isDeclared(bind))
      return refuse(`${rulesOf(bind).join(", ")} is nobody's: ${UNDECLARED}`);
    this.#unbind(`${address}:${port}`);
    const agent = this.#agentFor(bind, address, port);
    this.#agents.set(`${address}:${port}`, agent);
    this.options.sockets.add(agent);
    this.options.log("agent bound", { address: this.visitor.ip, bind: address, port, credential });
    return true;
  }

  /**
   * Tells the agent why something was refused. The stock client shows a message with -v only, and always why
   * it was hung up on: so an agent that serves nothing is hung up on.
   */
  async #tell(reason: string): Promise<false> {
    const inside = insideOf(this.connection);
    if (!inside || this.#isClosed) return false;
    send(inside, debugMessage(reason));
    if (this.#reasons.length < MOST_REASONS) this.#reasons.push(reason);
    if (++this.#refused > MOST_BINDS) this.end(`${MOST_BINDS} things were refused: ${reason}`);
    // It asks for all that it binds one after the other.
    await sleep(SETTLE_MS);
    if (!this.#isClosed && this.#asked === 0 && this.#agents.size === 0) this.end(this.#reasons.join("; "));
    return false;
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
      let isLate = false;
      const late = setTimeout(() => {
        isLate = true;
        reject(new Error("the agent does not answer"));
      }, OPEN_MS);
      this.connection.forwardOut(address, port, "127.0.0.1", 0, (error, channel) => {
        clearTimeout(late);
        if (error) {
          this.#channels--;
          return reject(error);
        }
        channel.once("close", () => {
          this.#channels--;
        });
        if (isLate) return void channel.destroy();
        return resolve(channel);
      });
    });
  }

  async review(): Promise<void> {
    if (!this.#proof) return;
    const bound = [...this.#agents.values()].flatMap(({ bind }) => rulesOf(bind));
    const { allowed, reason } = await this.options.authority.ask(this.#proof, bound);
    if (allowed) return;
    this.options.log("agent ended, because its credential no longer allows what it has bound", {
      address: this.visitor.ip,
      reason,
    });
    this.end(reason);
  }

  close(): void {
    this.#isClosed = true;
    for (const key of [...this.#agents.keys()]) this.#unbind(key);
  }

  /** @param reason what the stock client shows */
  end(reason?: string): void {
    const inside = reason === undefined || this.#isClosed ? undefined : insideOf(this.connection);
    this.close();
    if (inside && reason !== undefined) send(inside, disconnectMessage(reason));
    this.connection.end();
    setTimeout(() => this.visitor.socket.destroy(), LEAVE_MS).unref();
  }
}

/** What an agent shows of itself; undefined where its signature is wrong, or it shows nothing. */
function proofOf(context: AuthContext): Proof | undefined {
  if (context.method === "password") return { token: context.password };
  if (context.method !== "publickey") return undefined;
  const { key, signature, blob, hashAlgo } = context;
  const parsed = utils.parseKey(key.data);
  if (parsed instanceof Error) return undefined;
  if (signature && parsed.verify(blob as Buffer, signature, hashAlgo) !== true) return undefined;
  return {
    public_key: `${key.algo.replace(/^rsa-sha2-(256|512)$/, "ssh-rsa")} ${key.data.toString("base64")}`,
  };
}
