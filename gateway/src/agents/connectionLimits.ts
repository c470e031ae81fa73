import type { Socket } from "node:net";
import { plainAddress } from "@tunnelplane/sdk/contract";
import { Job } from "@tunnelplane/sdk/jobs";
import { Pace } from "./pace";

const MAX_CONNECTIONS = 5000;
/** Connections of one address that have not logged in. As many as OpenSSH's MaxStartups. */
const MAX_LOGGING_IN = 100;
/** Failed attempts of one address in a minute; after that, its connections are refused. */
const MAX_FAILURES = 20;
/** Requests of one connection to log in, including its questions about keys. */
const MAX_ATTEMPTS = 20;
/** New keys of one connection in a minute: OpenSSH makes them once for some gigabytes. */
export const MAX_REKEYS = 60;
/** Binds, channels and keep-alives of one connection in a minute; the stock client sends 60 at the most. */
const MAX_REQUESTS = 1000;
const MAX_ADDRESSES = 10_000;
const FORGET_MS = 60_000;
const LOGIN_MS = 20_000;

/** A connection that was admitted. */
export interface AgentConnection {
  readonly socket: Socket;
  readonly ip: string;
  isLoggedIn: boolean;
  /** Requests to log in. */
  attempts: number;
  /** Keys that it offered. They count as failures where it does not log in. */
  offers: number;
  /** New keys since the minute began. */
  rekeys: number;
  /** Requests since the minute began. */
  requests: number;
}

/** Admits connections of agents, and limits what each may do, from its first byte on. */
export class ConnectionLimits {
  /** By address and port. */
  readonly #connections = new Map<string, AgentConnection>();
  /** Connections that have not logged in, by address. */
  readonly #loggingIn = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #pace = new Pace();
  readonly #minutes = new Job({
    name: "forget failed logins",
    everyMs: FORGET_MS,
    work: () => this.#newMinute(),
  }).start();

  /** How many are connected, logged in or not. */
  get count(): number {
    return this.#connections.size;
  }

  /** Lets a connection begin when its turn comes, or closes it. */
  admit(socket: Socket, begin: () => void): void {
    const ip = plainAddress(socket.remoteAddress ?? "");
    const others = this.#loggingIn.get(ip) ?? 0;
    socket.on("error", () => socket.destroy());
    if (this.count >= MAX_CONNECTIONS || others >= MAX_LOGGING_IN || this.#isBarred(ip)) {
      socket.destroy();
      return;
    }
    const at = `${ip} ${socket.remotePort}`;
    const connection: AgentConnection = {
      socket,
      ip,
      isLoggedIn: false,
      attempts: 0,
      offers: 0,
      rekeys: 0,
      requests: 0,
    };
    this.#connections.set(at, connection);
    this.#loggingIn.set(ip, others + 1);
    const late = setTimeout(() => connection.isLoggedIn || socket.destroy(), LOGIN_MS).unref();
    socket.once("close", () => {
      clearTimeout(late);
      this.#connections.delete(at);
      if (!connection.isLoggedIn) this.#count(connection.ip, connection.offers);
      this.logIn(connection);
    });
    this.#pace.wait(ip, () => socket.destroyed || begin());
  }

  /** Undefined for a connection that is closed. */
  find(ip: string | undefined, port: number | undefined): AgentConnection | undefined {
    return this.#connections.get(`${plainAddress(ip ?? "")} ${port}`);
  }

  /** Notes that a connection has logged in. */
  logIn(connection: AgentConnection): void {
    if (connection.isLoggedIn) return;
    connection.isLoggedIn = true;
    const left = (this.#loggingIn.get(connection.ip) ?? 1) - 1;
    if (left > 0) this.#loggingIn.set(connection.ip, left);
    else this.#loggingIn.delete(connection.ip);
  }

  /** Notes a request to log in. Returns whether there may be another. */
  countAttempt(connection: AgentConnection): boolean {
    return ++connection.attempts <= MAX_ATTEMPTS;
  }

  /** Notes a failed attempt to log in. Returns whether there may be another. */
  countFailure({ ip }: AgentConnection): boolean {
    this.#count(ip, 1);
    return !this.#isBarred(ip);
  }

  /**
   * Notes that a connection makes new keys. Returns whether it may; none needs to before it has logged in.
   */
  countRekey(connection: AgentConnection): boolean {
    return connection.isLoggedIn && ++connection.rekeys <= MAX_REKEYS;
  }

  /** Notes a request after the login. Returns whether it may be answered. */
  countRequest(connection: AgentConnection): boolean {
    return ++connection.requests <= MAX_REQUESTS;
  }

  #count(ip: string, failures: number): void {
    if (failures === 0 || !(this.#failures.has(ip) || this.#failures.size < MAX_ADDRESSES)) return;
    this.#failures.set(ip, (this.#failures.get(ip) ?? 0) + failures);
  }

  #newMinute(): void {
    this.#failures.clear();
    for (const connection of this.#connections.values()) {
      connection.rekeys = 0;
      connection.requests = 0;
    }
  }

  #isBarred(ip: string): boolean {
    return (this.#failures.get(ip) ?? 0) >= MAX_FAILURES;
  }

  close(): void {
    void this.#minutes.stop();
    this.#pace.close();
    for (const { socket } of this.#connections.values()) socket.destroy();
  }
}
