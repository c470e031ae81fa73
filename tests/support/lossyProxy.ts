import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { StandInServer } from "./standIn";

export type Fate =
  | "answered"
  /** The connection breaks before the server gets the request. */
  | "lost"
  /** The connection breaks while the server works on the request, so that a repetition arrives meanwhile. */
  | "cut"
  /** The connection breaks, and the server gets the request only when it has answered the next one. */
  | "late"
  /** The server carries out the request, but the answer never arrives. */
  | "answer lost"
  /** The connection breaks in the middle of the answer. */
  | "answer cut"
  /** The server carries out the request, but the client gets no answer until its time-out. */
  | "silence"
  /** The server carries out the request, and the proxy answers 502. */
  | "bad gateway";

/** A proxy between a client and a real server that loses requests and answers as a test demands. */
export class LossyProxy {
  private constructor(private readonly standIn: StandInServer) {}

  static async start(
    server: string,
    fateOf: (request: IncomingMessage) => Fate | Promise<Fate>,
  ): Promise<LossyProxy> {
    let late: (() => Promise<unknown>) | undefined;
    const standIn = await StandInServer.start(async (asked, response) => {
      const [body, fate] = [await bytesOf(asked), await fateOf(asked)];
      const { url, method, headers } = asked;
      const passOn = async () => {
        const forwarded = request(server + url, { method, headers }).end(body);
        const [answer] = (await once(forwarded, "response")) as [IncomingMessage];
        return { answer, bytes: await bytesOf(answer) };
      };
      if (fate === "late") late = passOn;
      if (fate === "lost" || fate === "late") return void asked.socket.destroy();
      if (fate === "cut") setImmediate(() => asked.socket.destroy());
      try {
        const { answer, bytes } = await passOn();
        const before = late;
        late = undefined;
        await before?.();
        if (fate === "silence" || fate === "cut") return;
        if (fate === "answer lost") return void asked.socket.destroy();
        if (fate === "bad gateway")
          return void response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        if (fate === "answered") return void response.end(bytes);
        response.write(bytes.subarray(0, bytes.length / 2), () => asked.socket.destroy());
      } catch {
        asked.socket.destroy();
      }
    });
    return new LossyProxy(standIn);
  }

  get url(): string {
    return this.standIn.url;
  }

  stop(): void {
    this.standIn.stop();
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
