import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { pathOf } from "./abbreviated";

/** Lines that are not written yet may take so much; further ones are dropped. In bytes. */
const MAX_WAITING = 8 * 1024 * 1024;
const NOTHING = "-";

interface Line {
  readonly hostport: string | undefined;
  /** The module that refused it. */
  readonly module: string | undefined;
  readonly time: string;
  readonly from: string;
  readonly name: string;
  readonly milliseconds: string;
  readonly received: string;
  readonly sent: string;
  readonly tls: string;
}

interface RequestLine extends Line {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly protocol: string;
  readonly status: string;
  readonly userAgent: string;
  readonly requestId: string;
}

interface ConnectionLine extends Line {
  readonly chain: string;
  readonly failure: string;
}

/** The access log: a line of JSON for each request, and for each connection whose requests are not read. */
export class AccessLog {
  #dropped = 0;

  private constructor(
    private readonly stream: WriteStream | NodeJS.WriteStream,
    private readonly warn: (message: string) => void,
  ) {}

  /** @param file appended to; `-` for standard output */
  static async open(file: string, warn: (message: string) => void): Promise<AccessLog> {
    if (file === "-") return new AccessLog(process.stdout, warn);
    const stream = createWriteStream(file, { flags: "a", mode: 0o640 });
    await once(stream, "open").catch((error: NodeJS.ErrnoException) => {
      throw new Error(
        `the access log ${file} cannot be written (${error.code}): name another with --access-log`,
      );
    });
    stream.on("error", (error) => warn(`the access log ${file} cannot be written: ${error.message}`));
    return new AccessLog(stream, warn);
  }

  request(line: RequestLine): void {
    const { host, method, path, protocol, status, userAgent, requestId } = line;
    this.#write({
      ...common(line),
      host: known(host),
      method: known(method),
      path: path === NOTHING ? null : pathOf(path),
      protocol: known(protocol),
      status: numberIn(status),
      user_agent: known(userAgent),
      request_id: known(requestId),
    });
  }

  /** Requests of a connection have their own lines, so it has none but where it was refused. */
  connection(line: ConnectionLine): void {
    if (line.chain.startsWith("https ") && line.module === undefined && line.failure === NOTHING) return;
    this.#write({ ...common(line), failure: known(line.failure) });
  }

  async close(): Promise<void> {
    if (this.stream === process.stdout) return;
    await new Promise<void>((resolve) => this.stream.end(() => resolve()));
  }

  #write(fields: object): void {
    if (this.stream.writableLength > MAX_WAITING) {
      this.#dropped++;
      this.warn("the access log is not written fast enough: lines are left out");
      return;
    }
    const dropped = this.#dropped > 0 ? { left_out: this.#dropped } : {};
    this.#dropped = 0;
    this.stream.write(`${JSON.stringify({ ...fields, ...dropped })}\n`);
  }
}

const common = ({ time, hostport, from, milliseconds, received, sent, tls, module }: Line) => ({
  time,
  hostport: hostport ?? null,
  client: from,
  duration_ms: numberIn(milliseconds),
  bytes_received: numberIn(received),
  bytes_sent: numberIn(sent),
  tls: known(tls),
  refused_by: module ?? null,
});

const known = (text: string): string | null => (text === NOTHING ? null : text);
const numberIn = (text: string): number | null => (text === NOTHING ? null : Number(text));
