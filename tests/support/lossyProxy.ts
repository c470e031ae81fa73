import { type IncomingMessage, request } from "node:http";
import { StandInServer } from "./standIn";

/** What becomes of a request that the proxy was given. */
export type Fate =
  /** It is passed on, and so is its answer. */
  | "answered"
  /** The connection breaks before the server has it. */
  | "lost"
  /** The connection breaks while the server carries it out, so that a repetition meets it there. */
  | "cut"
  /** The server carries it out, but its answer never arrives. */
  | "answer lost"
  /** The connection breaks within the answer. */
  | "answer cut"
  /** The server carries it out, but the client waits in vain. */
  | "silence"
  /** The server carries it out, and the proxy says that it did not answer. */
  | "bad gateway";

/** A network between a client and a real server in which requests and answers get lost as it is told. */
export class LossyProxy {
  private constructor(private readonly standIn: StandInServer) {}

  /** @param fateOf is asked once for each request */
  static async start(server: string, fateOf: (request: IncomingMessage) => Fate | Promise<Fate>): Promise<LossyProxy> {
    const standIn = await StandInServer.start(async (asked, response) => {
      const [body, fate] = [await bytesOf(asked), await fateOf(asked)];
      if (fate === "lost") return void asked.socket.destroy();
      const forwarded = request(server + asked.url, { method: asked.method, headers: asked.headers }, async (answer) => {
        const bytes = await bytesOf(answer);
        if (fate === "silence" || fate === "cut") return;
        if (fate === "answer lost") return void asked.socket.destroy();
        if (fate === "bad gateway") return void response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        if (fate === "answered") return void response.end(bytes);
        response.write(bytes.subarray(0, bytes.length / 2), () => asked.socket.destroy());
      });
      forwarded.on("error", () => asked.socket.destroy()).end(body);
      if (fate === "cut") setImmediate(() => asked.socket.destroy());
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
