import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { LoadJob } from "./job";

/** Of an answer, all that is measured. */
export interface Answer {
  /** 0 for a broken connection, or an answer that did not come in time. */
  readonly status: number;
  /** In seconds; 0 if the answer has none. */
  readonly retryAfter: number;
}

const NO_ANSWER: Answer = { status: 0, retryAfter: 0 };
/** An answer that takes longer counts as none. */
const SILENCE_MS = 120_000;

const LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
const RETRY_AFTER = /\r\nretry-after: *(\d+)/i;
const CLOSE = /\r\nconnection: *close/i;
const END_OF_HEAD = "\r\n\r\n";
const END_OF_LINE = "\r\n";

/**
 * A kept connection that sends one request at a time and reads no more of an answer than its status and its
 * length: a common client took as long for a request as the server that is measured. It connects when it
 * sends, and again after a broken connection.
 */
export class Connection {
  readonly #url: URL;
  #socket: Socket | undefined;
  #tell: ((answer: Answer) => void) | undefined;
  /** The answer whose body is being read. */
  #answer: Answer | undefined;
  #isChunked = false;
  #isLast = false;
  #closes = false;
  /** Bytes of the body, or of its current chunk, that have not arrived. */
  #missing = 0;
  /** The beginning of a head or of a chunk's line. */
  #begun: Buffer | undefined;

  constructor(
    url: string,
    private readonly tls: LoadJob["tls"],
  ) {
    this.#url = new URL(url);
  }

  /** @param request head and body, as they are sent */
  send(request: string): Promise<Answer> {
    return new Promise((resolve) => {
      this.#tell = resolve;
      this.#socket ??= this.#connect();
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Socket {
    const { protocol, hostname, port } = this.#url;
    const socket =
      protocol === "https:"
        ? connectTls({ host: hostname, port: Number(port || 443), ...this.tls })
        : connect(Number(port || 80), hostname);
    socket.setNoDelay().setTimeout(SILENCE_MS);
    socket.on("data", (bytes) => this.#read(bytes));
    socket.on("timeout", () => socket.destroy()).on("error", () => undefined);
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#begun = undefined;
      this.#finish(NO_ANSWER);
    });
    return socket;
  }

  #read(arrived: Buffer): void {
    const bytes = this.#begun ? Buffer.concat([this.#begun, arrived]) : arrived;
    this.#begun = undefined;
    let at = 0;
    while (at < bytes.length || this.#answer) {
      const taken = Math.min(this.#missing, bytes.length - at);
      this.#missing -= taken;
      at += taken;
      if (this.#missing > 0) return;
      if (this.#answer && (!this.#isChunked || this.#isLast)) {
        this.#finish(this.#answer);
        return;
      }
      const end = bytes.indexOf(this.#answer ? END_OF_LINE : END_OF_HEAD, at);
      if (end < 0) {
        this.#begun = bytes.subarray(at);
        return;
      }
      const text = bytes.toString("latin1", at, end);
      at = end + (this.#answer ? END_OF_LINE : END_OF_HEAD).length;
      if (this.#answer) this.#beginChunk(text);
      else this.#begin(text);
    }
  }

  #begin(head: string): void {
    const status = Number(head.slice(9, 12));
    this.#isChunked = CHUNKED.test(head);
    this.#isLast = false;
    this.#closes = CLOSE.test(head);
    this.#missing = Number(LENGTH.exec(head)?.[1] ?? 0);
    this.#answer = { status, retryAfter: status === 503 ? Number(RETRY_AFTER.exec(head)?.[1] ?? 0) : 0 };
  }

  /** The last chunk is empty, and an empty line follows it: the servers here send no trailers. */
  #beginChunk(line: string): void {
    const size = Number.parseInt(line, 16);
    this.#isLast = size === 0;
    this.#missing = size + END_OF_LINE.length;
  }

  #finish(answer: Answer): void {
    if (this.#closes) this.#drop();
    const tell = this.#tell;
    this.#tell = undefined;
    this.#answer = undefined;
    this.#missing = 0;
    tell?.(answer);
  }

  /** The next request gets a new connection. */
  #drop(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#closes = false;
  }
}
