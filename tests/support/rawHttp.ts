import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { RestAnswer } from "./rest";

/**
 * Sends any bytes on a new connection. Returns the first answer, or undefined if the server closes the
 * connection without one.
 *
 * @param patience after so many milliseconds of silence, the client ends its side. A request that is shorter
 *   than it says makes the server wait; when the client ends, the server drops it. On a slow machine, that
 *   may also hit a valid request.
 */
export function exchange(
  url: string,
  request: Buffer | string,
  patience = 1_000,
): Promise<RestAnswer | undefined> {
  const { hostname, port } = new URL(url);
  const bytes = Buffer.from(request);
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect({ host: hostname, port: Number(port) });
    const finish = (answer?: RestAnswer): void => {
      socket.resetAndDestroy(); // leaves no port waiting
      resolve(answer);
    };
    socket.setTimeout(patience, () => socket.end());
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const first = firstAnswerIn(received, bytes.subarray(0, 5).toString() === "HEAD ");
      if (first) finish(first.answer);
    });
    socket.on("error", () => finish());
    socket.on("close", () => finish());
    socket.write(bytes);
  });
}

export class Connection {
  #received = Buffer.alloc(0);

  private constructor(private readonly socket: Socket) {
    socket.on("data", (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, "connect");
    return new Connection(socket);
  }

  send(bytes: string): void {
    this.socket.write(bytes);
  }

  async answers(count: number): Promise<RestAnswer[]> {
    const answers: RestAnswer[] = [];
    while (answers.length < count) {
      const first = firstAnswerIn(this.#received, false);
      if (!first) await once(this.socket, "data");
      else {
        answers.push(first.answer);
        this.#received = first.rest;
      }
    }
    return answers;
  }

  close(): void {
    this.socket.resetAndDestroy();
  }
}

/** The first answer in the bytes, if it is complete, and the rest of the bytes. */
function firstAnswerIn(
  bytes: Buffer,
  withoutBody: boolean,
): { answer: RestAnswer; rest: Buffer<ArrayBuffer> } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (status === 100) return firstAnswerIn(bytes.subarray(end + 4), withoutBody);
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(":")),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const length = withoutBody ? 0 : Number(headers.get("content-length") ?? 0);
  if (bytes.length < end + 4 + length) return undefined;
  const text = bytes.subarray(end + 4, end + 4 + length).toString();
  return {
    answer: { status, headers, text, body: parsed(text) },
    rest: Buffer.from(bytes.subarray(end + 4 + length)),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
