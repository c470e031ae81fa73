import type { Socket } from "node:net";

export interface HttpAnswer {
  /** 0 if the connection ended without an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: string;
}

/** More than the longest answer that can be declared, which has 65,536 characters. */
const MAX_BYTES = 1_048_576;

/** Sends raw bytes over an open connection, and reads one answer of HTTP/1.1. */
export async function readAnswer(socket: Socket, text: string): Promise<HttpAnswer> {
  let received = "";
  socket.removeAllListeners("close");
  const ended = new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      // Envoy keeps a connection open for a second after its last answer.
      const [head = "", body] = received.split(/\r\n\r\n(.*)/s);
      const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
      const isWhole = length !== undefined && body !== undefined && body.length >= Number(length);
      if (isWhole || received.length > MAX_BYTES) resolve();
    });
    socket.on("close", () => resolve());
    socket.on("error", () => resolve());
  });
  socket.write(text);
  await ended;
  socket.destroy();
  return parsed(received);
}

function parsed(received: string): HttpAnswer {
  const [head = "", ...rest] = received.split("\r\n\r\n");
  const lines = head
    .split("\r\n")
    .slice(1)
    .map((line) => [line.split(": ")[0]?.toLowerCase(), line.slice(line.indexOf(": ") + 2)] as const);
  const headers = Object.fromEntries(lines);
  const body = rest.join("\r\n\r\n");
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0),
    headers,
    cookies: lines.flatMap(([name, value]) => (name === "set-cookie" ? value : [])),
    body:
      headers["transfer-encoding"] === "chunked" ? body.replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, "") : body,
  };
}
