import type { Socket } from "node:net";
import type { Connection, ServerChannel } from "ssh2";
import { free } from "./free";
import { channelInside, insideOf } from "./ssh2Inside";

/** In bytes. Clients take 32 KiB; where one takes 1 byte, or none, ssh2 sends for very long, or for ever. */
const MIN_PACKET = 1024;
/** How many bytes may wait for a caller while the window of ssh2, 2 MiB, opens anew. */
const MAX_WAITING = 65_536;
/** What an agent asks for, and gets an answer to, each at the cost of a packet. */
const REQUESTS = ["GLOBAL_REQUEST", "CHANNEL_OPEN", "CHANNEL_REQUEST"] as const;

/** The way to an agent. It is closed while the agent does not read, or new keys are made: ssh2 keeps all. */
export class Outlet {
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly socket: Socket,
  ) {
    socket.on("drain", () => this.#goOn());
    connection.on("rekey", () => this.#goOn());
  }

  get #isOpen(): boolean {
    return !this.socket.writableNeedDrain && insideOf(this.connection)?._kexinit === undefined;
  }

  /** Sends when it is the turn of this. */
  send(write: () => void): void {
    this.#waiting.push(write);
    this.#goOn();
  }

  #goOn(): void {
    while (this.#isOpen) {
      const write = this.#waiting.shift();
      if (!write) return;
      write();
    }
  }

  close(): void {
    this.socket.destroy();
  }
}

/**
 * Holds the two sides of a new channel to what they may send, before anything is sent: us to what the agent
 * reads, and the agent to the window (RFC 4254 section 5.2).
 *
 * @throws if the agent takes no packets of a useful size
 */
export function bound(channel: ServerChannel, outlet: Outlet): void {
  const { incoming, outgoing, _readableState: waiting } = channelInside(channel);
  if (!(outgoing.packetSize >= MIN_PACKET)) {
    outlet.close();
    throw new Error(`the agent takes packets of ${outgoing.packetSize} bytes`);
  }
  waiting.highWaterMark = MAX_WAITING;
  const write = channel._write.bind(channel);
  channel._write = (bytes, encoding, done) => {
    const written = (error?: Error | null) => {
      done(error);
      free(bytes);
    };
    outlet.send(() => write(bytes, encoding, written));
  };
  let left = incoming.window;
  Object.defineProperty(incoming, "window", {
    get: () => left,
    set: (window: number) => {
      left = window;
      if (left < 0) outlet.close();
    },
  });
}

/** Has each request of an agent counted before it is answered. @param mayAsk whether it may have another */
export function countRequests(connection: Connection, mayAsk: () => boolean): void {
  const handlers = insideOf(connection)?._handlers ?? {};
  for (const name of REQUESTS) {
    const answer = handlers[name];
    handlers[name] = (...args) => (mayAsk() ? answer?.(...args) : undefined);
  }
}
