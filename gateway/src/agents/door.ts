import type { Socket } from "node:net";

const MOST_CONNECTIONS = 5000;
/** Connections of one address that have not logged in: it keeps nobody else away. As many as OpenSSH's MaxStartups. */
const MOST_UNKNOWN = 100;
/** Failed attempts of one address in a minute; beyond, it is not listened to. */
const MOST_FAILURES = 20;
const MOST_ADDRESSES = 10_000;
const FORGET_MS = 60_000;
const LOGIN_MS = 20_000;

/** A connection that was let in. */
export interface Visitor {
  readonly socket: Socket;
  readonly ip: string;
  isKnown: boolean;
}

/** Decides which connections are listened to. It counts from their first byte on: ssh2 tells of one only once it has said hello. */
export class Door {
  /** By address and port. */
  readonly #visitors = new Map<string, Visitor>();
  /** Connections that have not logged in, by address. */
  readonly #unknown = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #forget = setInterval(() => this.#failures.clear(), FORGET_MS).unref();

  /** How many are connected, logged in or not. */
  get count(): number {
    return this.#visitors.size;
  }

  /** Whether a connection is let in; others are hung up on. */
  admit(socket: Socket): boolean {
    const ip = socket.remoteAddress ?? "";
    const unknown = this.#unknown.get(ip) ?? 0;
    socket.on("error", () => socket.destroy());
    if (this.count >= MOST_CONNECTIONS || unknown >= MOST_UNKNOWN || this.#isBarred(ip)) {
      socket.destroy();
      return false;
    }
    const at = `${ip} ${socket.remotePort}`;
    const visitor: Visitor = { socket, ip, isKnown: false };
    this.#visitors.set(at, visitor);
    this.#unknown.set(ip, unknown + 1);
    const late = setTimeout(() => visitor.isKnown || socket.destroy(), LOGIN_MS).unref();
    socket.once("close", () => {
      clearTimeout(late);
      this.#visitors.delete(at);
      this.greet(visitor);
    });
    return true;
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

  /** Notes a failed attempt to log in. Returns whether there may be another. */
  fail({ ip }: Visitor): boolean {
    if (this.#failures.has(ip) || this.#failures.size < MOST_ADDRESSES) this.#failures.set(ip, (this.#failures.get(ip) ?? 0) + 1);
    return !this.#isBarred(ip);
  }

  #isBarred(ip: string): boolean {
    return (this.#failures.get(ip) ?? 0) >= MOST_FAILURES;
  }

  close(): void {
    clearInterval(this.#forget);
    for (const { socket } of this.#visitors.values()) socket.destroy();
  }
}
