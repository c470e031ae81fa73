import { createServer, type Server as Listener } from "node:net";
import type { ReportedAgent } from "@tunnelplane/sdk";
import { holdsAddress, type NetworkSet } from "@tunnelplane/sdk/rules";
import { type Connection, Server } from "ssh2";
import { countRequests } from "./bounds";
import { type AgentConnection, ConnectionLimits, MAX_REKEYS } from "./connectionLimits";
import { free } from "./free";
import type { HostKeys } from "./hostKeys";
import { ALGORITHMS, KeyExchanges } from "./keyExchange";
import { gatherWrites, prepareKeys } from "./packets";
import { LEAVE_MS, Session, type SessionOptions } from "./session";

/** Connections of one credential: half of all, so that others can connect too. */
const MAX_PER_CREDENTIAL = 2500;
const KEPT_OUT =
  "an IP restriction of the account keeps agents of this address out; ask an admin to admit it";
const STOPPED = "this session was stopped by somebody who may; it can be seen in the audit log";
/** The server's limit. RFC 4253 section 4.2 has the same. */
const MAX_GREETING_LENGTH = 255;
/** An agent that sends nothing for three times this long is gone. */
const KEEP_ALIVE_MS = 5000;
const MAX_SILENT = 2;
const REKEYS = `a connection makes new keys at most ${MAX_REKEYS} times a minute, and not before it has logged in: set a higher RekeyLimit`;
const REVIEWED_AT_ONCE = 8;

interface Options extends SessionOptions {
  readonly address: string;
  readonly port: number;
  readonly hostKeys: HostKeys;
  /** How often to check that an agent answers; three failures disconnect it. Default: 5 s. */
  readonly keepAliveMs?: number;
}

/** The SSH server for agents, the stock `ssh -R`: remote forwarding and nothing else. */
export class SshServer {
  readonly #sessions = new Set<Session>();
  readonly #limits = new ConnectionLimits();
  readonly #ssh: Server;
  readonly #listener: Listener;
  readonly #exchanges = new KeyExchanges();
  #admitted: NetworkSet | undefined;
  #begin: () => void = () => undefined;
  /** Ends when it is known whom to admit, and to which addresses: agents that come before wait. */
  readonly #known = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });

  private constructor(private readonly options: Options) {
    this.#ssh = new Server(
      {
        algorithms: ALGORITHMS,
        hostKeys: options.hostKeys.offered,
        keepaliveInterval: options.keepAliveMs ?? KEEP_ALIVE_MS,
        keepaliveCountMax: MAX_SILENT,
        // The types of ssh2 lack the keep-alive of servers.
      } as ConstructorParameters<typeof Server>[0],
      (connection, { ip, port, header }) =>
        this.#open(connection, this.#limits.find(ip, port), greetingOf(header.identRaw)),
    );
    this.#listener = createServer({ noDelay: true }, (socket) =>
      this.#limits.admit(socket, async () => {
        await this.#known;
        gatherWrites(socket);
        if (!socket.destroyed) this.#ssh.injectSocket(socket);
      }),
    );
  }

  static async start(options: Options): Promise<SshServer> {
    const one = new SshServer(options);
    await new Promise<void>((resolve, reject) => {
      one.#listener.on("error", reject);
      one.#listener.listen(options.port, options.address, resolve);
    });
    return one;
  }

  /**
   * Ends the sessions of agents that come from elsewhere, and refuses these from now on. Agents that came
   * before the first call begin with it.
   * @param networks whom restrictions of agents admit; undefined for everybody
   */
  admitOnly(networks: NetworkSet | undefined): void {
    this.#admitted = networks;
    this.#begin();
    for (const session of this.#sessions) if (!this.#isAdmitted(session.ip)) session.end(KEPT_OUT);
  }

  #isAdmitted = (ip: string): boolean => !this.#admitted || holdsAddress(this.#admitted, ip);

  #open(connection: Connection, incoming: AgentConnection | undefined, greeting: string): void {
    if (!incoming) return void connection.end();
    if (!this.#isAdmitted(incoming.ip)) {
      this.options.log("agent refused", { client: incoming.ip, reason: KEPT_OUT });
      connection.on("error", () => undefined);
      return void incoming.socket.destroy();
    }
    const hangUp = () => {
      incoming.socket.uncork(); // the reason, if there is one, has still to go out
      incoming.socket.destroy();
    };
    connection.on("error", hangUp);
    this.options.hostKeys.prepare(connection);
    prepareKeys(connection);
    this.#exchanges.prepare(connection, hangUp);
    connection.on("rekey", () => this.#limits.countRekey(incoming) || session.end(REKEYS));
    countRequests(connection, () => {
      const mayAsk = this.#limits.countRequest(incoming);
      if (!mayAsk) hangUp();
      return mayAsk;
    });
    const session = new Session(connection, incoming, this.options, greeting);
    this.#sessions.add(session);
    connection.on("ready", () => {
      this.#limits.logIn(incoming);
      incoming.socket.on("data", free); // ssh2 has read it
    });
    connection.on("close", () => {
      session.close();
      this.#sessions.delete(session);
    });
    connection.on("authentication", (context) => {
      if (!this.#limits.countAttempt(incoming)) return hangUp();
      session.authenticate(context).then(
        (accepted) => {
          if (accepted && this.#isCrowded(session)) return void connection.end();
          if (context.method === "publickey") incoming.offers++;
          if (accepted) return context.accept();
          if (context.method === "password" && !this.#limits.countFailure(incoming))
            return void connection.end();
          return context.reject(["publickey", "password"]);
        },
        () => context.reject(["publickey", "password"]),
      );
    });
  }

  #isCrowded({ credential }: Session): boolean {
    if (credential === undefined) return false; // It has shown no signature yet.
    let count = 0;
    for (const session of this.#sessions) if (session.credential === credential) count++;
    if (count <= MAX_PER_CREDENTIAL) return false;
    this.options.log("agent refused", {
      credential,
      reason: `a credential may have ${MAX_PER_CREDENTIAL} connections`,
    });
    return true;
  }

  /** Ends the sessions of these credentials whose binds they no longer allow. */
  async review(credentials: ReadonlySet<string> | "all"): Promise<void> {
    const sessions = [...this.#sessions].filter(
      ({ credential }) => credential && (credentials === "all" || credentials.has(credential)),
    );
    for (let next = 0; next < sessions.length; next += REVIEWED_AT_ONCE)
      await Promise.all(sessions.slice(next, next + REVIEWED_AT_ONCE).map((session) => session.review()));
  }

  /** Ends the sessions of these ids. */
  endSessions(ids: ReadonlySet<string>): void {
    for (const session of this.#sessions) {
      if (!ids.has(session.id)) continue;
      this.options.log("agent ended, because its session was stopped", {
        address: session.ip,
        credential: session.credential,
      });
      session.end(STOPPED);
    }
  }

  /** Ends the sessions whose credentials have ended. @param now in milliseconds */
  endAt(now: number): void {
    for (const session of this.#sessions) session.endAt(now);
  }

  /** How many are connected, logged in or not. */
  get connections(): number {
    return this.#limits.count;
  }

  /** The state of each session. */
  get states(): Session["state"][] {
    return [...this.#sessions].map(({ state }) => state);
  }

  /** The agents that have bound something, as the gateway reports them. */
  get agents(): ReportedAgent[] {
    return [...this.#sessions].flatMap((session) => session.agent ?? []);
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions) session.end();
    await new Promise<void>((resolve) => {
      this.#listener.close(() => resolve());
      setTimeout(() => this.#limits.close(), LEAVE_MS).unref();
    });
  }
}

/** The greeting of a client, as far as it can be shown. */
const greetingOf = (raw: string): string => raw.replace(/[^\x20-\x7e]/g, "?").slice(0, MAX_GREETING_LENGTH);
