import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { connect } from "node:net";
import { listenPrivately } from "../state/files";

/** One byte says whether a message is compressed, four say how long it is. */
const PREFIX_BYTES = 5;
/** Envoy's requests are names; a stream that announces more than this is ended. */
const MAX_MESSAGE_BYTES = 64 << 20;

/** What may wait for a caller that does not read, besides the message that was sent last. */
const MAX_WAITING_BYTES = 64 << 20;

/** One call whose messages flow both ways. */
export interface GrpcStream {
  /** @param message in parts */
  send(message: readonly Uint8Array[]): void;
  /** Ends the call, so that its caller begins anew. */
  end(): void;
}

interface Handler {
  readonly path: string;
  /** What is called with each message ends the call by throwing. */
  readonly open: (stream: GrpcStream) => { message(bytes: Buffer): void; end(): void };
}

/** Serves one gRPC method at a Unix socket that only its owner can open. */
export class GrpcServer {
  readonly #sessions = new Set<ServerHttp2Session>();

  private constructor(private readonly server: Http2Server) {
    server.on("session", (session) => {
      this.#sessions.add(session);
      session.on("error", () => undefined).on("close", () => this.#sessions.delete(session));
    });
  }

  /** @throws if another process serves there */
  static async start(socket: string, handler: Handler): Promise<GrpcServer> {
    if (await answers(socket))
      throw new Error(
        `another gateway serves Envoy at ${socket}: stop it, or choose another folder with --state`,
      );
    const server = createServer();
    server.on("stream", (stream, headers) => serve(stream, headers[":path"] === handler.path, handler));
    await new Promise<void>((resolve, reject) =>
      listenPrivately(server.once("error", reject), socket, resolve),
    );
    return new GrpcServer(server);
  }

  stop(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

const answers = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = connect(socket, () => {
      asked.destroy();
      resolve(true);
    });
    asked.on("error", () => resolve(false));
  });

const UNIMPLEMENTED = "12";

function serve(stream: ServerHttp2Stream, isKnown: boolean, { open }: Handler): void {
  stream.on("error", () => undefined);
  const headers = { ":status": 200, "content-type": "application/grpc" };
  if (!isKnown) {
    stream.respond({ ...headers, "grpc-status": UNIMPLEMENTED }, { endStream: true });
    return;
  }
  stream.respond(headers);
  const receiver = open({
    // Who has not read what was sent before gets nothing more, and comes again once it reads.
    send: (message) => {
      if (stream.writableLength > MAX_WAITING_BYTES) return void stream.destroy();
      stream.cork();
      for (const part of [prefixOf(message), ...message]) stream.write(part);
      stream.uncork();
    },
    end: () => stream.destroy(),
  });
  let rest: Buffer = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= PREFIX_BYTES) {
      const end = PREFIX_BYTES + rest.readUInt32BE(1);
      if (end > MAX_MESSAGE_BYTES) return void stream.destroy();
      if (rest.length < end) return;
      try {
        receiver.message(rest.subarray(PREFIX_BYTES, end));
      } catch (error) {
        return void stream.destroy(error as Error); // and not the gateway
      }
      rest = rest.subarray(end);
    }
  });
  stream.on("close", () => receiver.end());
}

function prefixOf(message: readonly Uint8Array[]): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(
    message.reduce((sum, { length }) => sum + length, 0),
    1,
  );
  return prefix;
}
