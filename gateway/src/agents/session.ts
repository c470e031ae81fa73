import { setTimeout as sleep } from "node:timers/promises";
import type { ReportedAgent } from "@tunnelplane/sdk";
import { newId, OBSERVED } from "@tunnelplane/sdk/contract";
import type { AuthContext, Connection } from "ssh2";
import { Agent, type Client } from "./agent";
import { MAX_BIND_ADDRESS, readBindAddress, rulesOf } from "./bindAddress";
import { Outlet } from "./bounds";
import type { AgentConnection } from "./connectionLimits";
import { proofOf } from "./proof";
import type { BindAuthority, Proof, Verdict } from "./serverAuthority";
import { endedWords } from "./serverAuthority";
import type { AgentSockets } from "./sockets";
import { bannerMessage, debugMessage, disconnectMessage, insideOf, refuseChannel, send } from "./ssh2Inside";

const MAX_BINDS = 100; // of one connection
const MAX_REASONS = 3; // the stock client shows 400 bytes
const SETTLE_MS = 200;
const UNDECLARED =
  "no edge without a backend declares this hostport, and no tunnel group these labels. Declare it, or correct -R";
const NO_SHELL = "there is no shell here: add -N to ssh, which then serves what -R binds until it is stopped";
const NO_PATHS =
  "-R with the path of a socket to listen on is not served: expected -R HOST:PORT:..., or -R key=value:PORT:...";
const NO_TOKENS = "hardware keys are not supported yet: use another one, such as ssh-keygen -t ed25519 makes";
const ONLY_REMOTE = "only -R is served: nothing can be reached through this gateway";
/** How long an agent may take to hang up: a session that is stopped is gone in a second. */
export const LEAVE_MS = 500;

export interface SessionOptions {
  readonly authority: BindAuthority;
  readonly sockets: AgentSockets;
  readonly log: (message: string, fields: object) => void;
}

interface Login {
  readonly proof: Proof;
  /** The credential's id. */
  readonly credential: string | undefined;
  /** Ids of the projects whose hostports and labels it may serve, as was said last. */
  projects: readonly string[];
  /** When the credential ends, in milliseconds, as was said last; undefined for never. */
  end: number | undefined;
}

type State =
  /** It has not logged in. */
  | { readonly name: "connected" }
  /** It has logged in, and has bound nothing. */
  | { readonly name: "idle"; readonly login: Login }
  /** It has bound something, by the address and port that it sent. */
  | { readonly name: "serving"; readonly login: Login; readonly agents: ReadonlyMap<string, Agent> }
  | { readonly name: "ended" };

/** The states of an agent's connection. The page docs/architecture/gateway.md has a picture. */
export class Session implements Client {
  #state: State = { name: "connected" };
  /** Open channels, of all binds. */
  channels = 0;
  /** Binds about which the authority has not answered yet. */
  #asking = 0;
  /** Ends when all binds are answered that the agent asked for so far. */
  #settled: Promise<unknown> = Promise.resolve();
  #refused = 0;
  /** The key that it offered last, and what the authority says of it. */
  #offer: { readonly key: string; readonly verdict: Promise<Verdict> } | undefined;
  /** The reasons for which its first binds were refused. */
  readonly #reasons: string[] = [];
  readonly #since = new Date().toISOString();
  /** Its id, as the server shows it. */
  readonly id = newId(OBSERVED.tunnel_session.idPrefix);
  readonly outlet: Outlet;

  constructor(
    readonly connection: Connection,
    private readonly incoming: AgentConnection,
    private readonly options: SessionOptions,
    /** The greeting of the client. */
    private readonly greeting: string,
  ) {
    this.outlet = new Outlet(connection, incoming.socket);
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
      } else if (name === "streamlocal-forward@openssh.com") {
        this.options.log("agent refused", {
          address: this.ip,
          credential: this.credential,
          reason: NO_PATHS,
        });
        this.#settled = Promise.allSettled([this.#settled, this.#refuse(NO_PATHS)]).then(() => reject?.());
      } else reject?.();
    });
    // A stock client without -N asks for a shell, and leaves when that is refused: its binds are answered
    // first.
    connection.on(
      "session",
      (_, reject) =>
        void this.#settled.then(() => this.#hasEnded || refuseChannel(connection, reject, NO_SHELL)),
    );
    connection.on("tcpip", (_, reject) => refuseChannel(connection, reject, ONLY_REMOTE));
  }

  get state(): State["name"] {
    return this.#state.name;
  }

  get #hasEnded(): boolean {
    return this.#state.name === "ended";
  }

  get #login(): Login | undefined {
    return "login" in this.#state ? this.#state.login : undefined;
  }

  get #agents(): ReadonlyMap<string, Agent> {
    return this.#state.name === "serving" ? this.#state.agents : new Map();
  }

  /** The id of the credential that it logged in with. */
  get credential(): string | undefined {
    return this.#login?.credential;
  }

  /** The agent as the gateway reports it; undefined until the agent has bound something. */
  get agent(): ReportedAgent | undefined {
    const { credential } = this;
    if (!credential || this.state !== "serving") return undefined;
    const binds = [...this.#agents.values()].map(({ bind }) => rulesOf(bind));
    return {
      credential,
      bind: binds.flat(),
      address: this.incoming.ip,
      since: this.#since,
      session: this.id,
      client: this.greeting,
      forwards_to: "",
      binds,
    };
  }

  get #rules(): string[] {
    return [...this.#agents.values()].flatMap(({ bind }) => rulesOf(bind));
  }

  /**
   * From `connected` to `idle`. Returns whether the agent may log in or, where it only asks about a key, try
   * to.
   */
  async authenticate(context: AuthContext): Promise<boolean> {
    const proof = proofOf(context);
    if (!proof) {
      const inside = insideOf(this.connection);
      const isOnToken = context.method === "publickey" && /^(webauthn-)?sk-/.test(context.key.algo);
      if (inside && isOnToken) send(inside, bannerMessage(NO_TOKENS));
      return false;
    }
    const { allowed, credential, projects, end } = await this.#ask(proof);
    if (!allowed || (context.method === "publickey" && !context.signature)) return allowed;
    if (this.state === "connected")
      this.#state = { name: "idle", login: { proof, credential: credential ?? undefined, projects, end } };
    return true;
  }

  /** A client asks about a key, and then signs with it. Its binds are asked about anyway. */
  #ask(proof: Proof): Promise<Verdict> {
    const key = "public_key" in proof ? proof.public_key : undefined;
    if (key !== undefined && this.#offer?.key === key) return this.#offer.verdict;
    const verdict = this.options.authority.ask(proof, [], this.incoming.ip);
    this.#offer = key === undefined ? undefined : { key, verdict };
    return verdict;
  }

  /** From `idle` to `serving`. */
  #serve(login: Login, key: string, agent: Agent): void {
    this.#unbind(key);
    this.#state = { name: "serving", login, agents: new Map([...this.#agents, [key, agent]]) };
    this.options.sockets.add(agent);
  }

  /** From `serving` back to `idle`, if nothing else is bound. */
  #unbind(key: string): void {
    const agent = this.#agents.get(key);
    if (!agent || this.#state.name !== "serving") return;
    const { login } = this.#state;
    const agents = new Map([...this.#agents].filter(([other]) => other !== key));
    this.#state = agents.size > 0 ? { name: "serving", login, agents } : { name: "idle", login };
    this.options.sockets.remove(agent);
  }

  /** To `ended`, when the connection is closed. */
  close(): void {
    const agents = this.#agents;
    this.#state = { name: "ended" };
    for (const agent of agents.values()) this.options.sockets.remove(agent);
  }

  /** The address that the agent comes from. */
  get ip(): string {
    return this.incoming.ip;
  }

  /** To `ended`: asks the agent to hang up. @param reason what the stock client shows */
  end(reason?: string): void {
    const inside = reason === undefined || this.#hasEnded ? undefined : insideOf(this.connection);
    this.close();
    if (inside && reason !== undefined) send(inside, disconnectMessage(reason));
    this.connection.end();
    setTimeout(() => this.incoming.socket.destroy(), LEAVE_MS).unref();
  }

  async #bind(address: string, port: number): Promise<boolean> {
    const login = this.#login;
    const bind = readBindAddress(address, port);
    const log = (message: string, fields: object) =>
      this.options.log(message, {
        ...{ address: this.incoming.ip, bind: address.slice(0, MAX_BIND_ADDRESS), port },
        ...fields,
      });
    const refuse = (reason: string, logged = reason) => {
      log("agent refused", { credential: this.credential, reason: logged });
      return this.#refuse(reason);
    };
    if (typeof bind === "string") return refuse(bind);
    if (!login || this.#agents.size + this.#asking >= MAX_BINDS)
      return refuse(`a connection may bind ${MAX_BINDS} things`);
    this.#asking++;
    const verdict = await this.options.authority
      .ask(login.proof, rulesOf(bind), this.incoming.ip)
      .finally(() => {
        this.#asking--;
      });
    const { allowed, credential, projects, reason } = verdict;
    if (this.#hasEnded) return false;
    if (!allowed) return refuse(reason, `its credential does not allow it: ${reason}`);
    this.#renew(login, verdict);
    if (!this.options.sockets.isDeclared({ bind, projects }))
      return refuse(`${rulesOf(bind).join(", ")} is nobody's: ${UNDECLARED}`);
    this.#serve(login, `${address}:${port}`, new Agent(bind, login, this, address, port));
    log("agent bound", { credential });
    return true;
  }

  /**
   * Sends the agent the reason. The stock client shows it with -v only, but it always shows the reason for a
   * disconnection. So an agent that has bound nothing is disconnected.
   */
  async #refuse(reason: string): Promise<false> {
    const inside = insideOf(this.connection);
    if (!inside || this.#hasEnded) return false;
    send(inside, debugMessage(reason));
    if (this.#reasons.length < MAX_REASONS) this.#reasons.push(reason);
    if (++this.#refused > MAX_BINDS) this.end(`${MAX_BINDS} things were refused: ${reason}`);
    // It asks for its binds one after the other.
    await sleep(SETTLE_MS);
    if (this.state === "idle" && this.#asking === 0) this.end(this.#reasons.join("; "));
    return false;
  }

  /** Ends the session if its credential no longer allows its binds. */
  async review(): Promise<void> {
    const login = this.#login;
    if (!login) return;
    const verdict = await this.options.authority.ask(login.proof, this.#rules);
    if (verdict.allowed) this.#renew(login, verdict);
    else this.#dismiss(verdict.reason);
  }

  /** Takes over what the authority says of the credential now. */
  #renew(login: Login, { projects, end }: Verdict): void {
    login.end = end;
    if (projects.join() === login.projects.join()) return;
    const { sockets } = this.options;
    for (const agent of this.#agents.values()) sockets.remove(agent); // by the projects that it had
    login.projects = projects;
    for (const agent of this.#agents.values()) sockets.add(agent);
  }

  /** Ends the session where its credential has ended, also while the server is away. @param now in ms */
  endAt(now: number): void {
    const login = this.#login;
    if (login?.credential !== undefined && login.end !== undefined && login.end <= now)
      this.#dismiss(endedWords(login.credential, login.end));
  }

  #dismiss(reason: string): void {
    this.options.log("agent ended, because its credential no longer allows what it has bound", {
      address: this.incoming.ip,
      reason,
    });
    this.end(reason);
  }
}
