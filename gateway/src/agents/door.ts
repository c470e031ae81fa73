import type { Socket } from "node:net";
import { Pace } from "./pace";

const MOST_CONNECTIONS = 5000;
/**
 * Connections of one address that have not logged in: it keeps nobody else away. As many as OpenSSH's
 * MaxStartups.
 */
const MOST_UNKNOWN = 100;
/** Failed attempts of one address in a minute; beyond, it is not listened to. */
const MOST_FAILURES = 20;
/** Requests of one connection to log in, questions for keys included. */
const MOST_ATTEMPTS = 20;
/** New keys of one connection in a minute: OpenSSH makes them once for some gigabytes. */
const MOST_REKEYS = 60;
const MOST_ADDRESSES = 10_000;
const FORGET_MS = 60_000;
const LOGIN_MS = 20_000;

/** A connection that was let in. */
export interface Visitor {
  readonly socket: Socket;
  readonly ip: string;
  isKnown: boolean;
  /** Requests to log in. */
  attempts: number;
  /** Questions whether a key may log in that were answered with yes, without a signature. */
  questions: number;
  /** New keys since the minute began. */
  rekeys: number;
}

/**
 * Decides which connections are listened to. It counts from their first byte on: ssh2 tells of one only once
 * it has said hello.
 */
export class Door {
  /** By address and port. */
  readonly #visitors = new Map<string, Visitor>();
  /** Connections that have not logged in, by address. */
  readonly #unknown = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #pace = new Pace();
  readonly #forget = setInterval(() => this.#newMinute(), FORGET_MS).unref();

  /** How many are connected, logged in or not. */
  get count(): number {
    return this.#visitors.size;
  }

  /** Lets a connection in when it is its turn, or hangs up on it. */
  admit(socket: Socket, begin: () => void): void {
    const ip = socket.remoteAddress ?? "";
    const unknown = this.#unknown.get(ip) ?? 0;
    socket.on("error", () => socket.destroy());
    if (this.count >= MOST_CONNECTIONS || unknown >= MOST_UNKNOWN || this.#isBarred(ip)) {
      socket.destroy();
      return;
    }
    const at = `${ip} ${socket.remotePort}`;
    const visitor: Visitor = { socket, ip, isKnown: false, attempts: 0, questions: 0, rekeys: 0 };
    this.#visitors.set(at, visitor);
    this.#unknown.set(ip, unknown + 1);
    const late = setTimeout(() => visitor.isKnown || socket.destroy(), LOGIN_MS).unref();
    socket.once("close", () => {
      clearTimeout(late);
      this.#visitors.delete(at);
      if (!visitor.isKnown) this.#count(visitor.ip, visitor.questions);
      this.greet(visitor);
    });
    this.#pace.wait(ip, () => socket.destroyed || begin());
  }

  /** Undefined for one that has gone. */
  visitorAt(ip: string | undefined, port: number | undefined): Visitor | undefined {
    return this.#visitors.get(`${ip} ${port}`);
  }

  /** Notes that somebody has logged in. */
  greet(visitor: Visitor): void {
    if (visitor.isKnown) return;
    visitor.isKnown = true;
    const left = (this.#unknown.get(visitor.ip) ?? 1) - 1;
    if (left > 0) this.#unknown.set(visitor.ip, left);
    else this.#unknown.delete(visitor.ip);
  }

  /** Notes a request to log in. Returns whether there may be another. */
  tries(visitor: Visitor): boolean {
    return ++visitor.attempts <= MOST_ATTEMPTS;
  }

  /** Notes a failed attempt to log in. Returns whether there may be another. */
  fail({ ip }: Visitor): boolean {
    this.#count(ip, 1);
    return !this.#isBarred(ip);
  }

  /** Notes that a connection makes new keys. Returns whether it may: nobody needs to before logging in. */
  rekeys(visitor: Visitor): boolean {
    return visitor.isKnown && ++visitor.rekeys <= MOST_REKEYS;
  }

  #count(ip: string, failures: number): void {
    if (failures === 0 || !(this.#failures.has(ip) || this.#failures.size < MOST_ADDRESSES)) return;
    this.#failures.set(ip, (this.#failures.get(ip) ?? 0) + failures);
  }

  #newMinute(): void {
    this.#failures.clear();
    for (const visitor of this.#visitors.values()) visitor.rekeys = 0;
  }

  #isBarred(ip: string): boolean {
    return (this.#failures.get(ip) ?? 0) >= MOST_FAILURES;
  }

  close(): void {
    clearInterval(this.#forget);
    this.#pace.close();
    for (const { socket } of this.#visitors.values()) socket.destroy();
  }
}
