import * as grpc from "@grpc/grpc-js";
import { atEndOfFile } from "../support/endOfFile";

const pass = (bytes: Buffer): Buffer => bytes;
const method = (name: string, requestStream: boolean, responseStream: boolean) => ({
  ...{ path: `/tests.Echo/${name}`, requestStream, responseStream },
  ...{ requestSerialize: pass, requestDeserialize: pass, responseSerialize: pass, responseDeserialize: pass },
});
const SERVICE = {
  Once: method("Once", false, false),
  Never: method("Never", false, false),
  Refused: method("Refused", false, false),
  Count: method("Count", false, true),
  Sum: method("Sum", true, false),
  Chat: method("Chat", true, true),
};

/** An application that speaks gRPC, and so HTTP/2, alone. */
export class GrpcServer {
  /** How many calls of Never were given up by their callers. */
  cancelled = 0;

  private constructor(readonly address: string) {}

  /** @param pair makes it speak TLS */
  static async start(pair?: { readonly pem: string; readonly privateKey: string }): Promise<GrpcServer> {
    const server = new grpc.Server();
    const credentials = pair
      ? grpc.ServerCredentials.createSsl(null, [
          { cert_chain: Buffer.from(pair.pem), private_key: Buffer.from(pair.privateKey) },
        ])
      : grpc.ServerCredentials.createInsecure();
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync("127.0.0.1:0", credentials, (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    const one = new GrpcServer(`127.0.0.1:${port}`);
    server.addService(SERVICE, {
      Once: (call: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) =>
        done(null, call.request),
      Never: (call: grpc.ServerUnaryCall<Buffer, Buffer>) => call.on("cancelled", () => one.cancelled++),
      Refused: (_: unknown, done: grpc.sendUnaryData<Buffer>) =>
        done({ code: grpc.status.FAILED_PRECONDITION, details: "not today" }),
      Count: (call: grpc.ServerWritableStream<Buffer, Buffer>) => {
        for (const word of ["one", "two", "three"]) call.write(Buffer.from(word));
        call.end();
      },
      Sum: (call: grpc.ServerReadableStream<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => {
        let text = "";
        call.on("data", (part) => {
          text += part;
        });
        call.on("end", () => done(null, Buffer.from(text)));
      },
      Chat: (call: grpc.ServerDuplexStream<Buffer, Buffer>) =>
        call.on("data", (part) => call.write(part)).on("end", () => call.end()),
    });
    atEndOfFile(() => server.forceShutdown());
    return one;
  }
}

export interface Called {
  readonly big: number;
  readonly count: readonly string[];
  readonly sum: readonly string[];
  readonly chat: readonly string[];
  readonly late: string;
  readonly refused: readonly string[];
  /** Of a thousand streams, none of which ended before all had an answer. */
  readonly many: number;
}

/** What every client gets that reaches a {@link GrpcServer}. */
export const WHOLE: Called = {
  ...{ big: 4_000_000, count: ["one", "two", "three"], sum: ["012"], chat: ["0", "1", "2"] },
  ...{ late: "DeadlineExceeded", refused: ["FailedPrecondition", "not today"], many: 1000 },
};

const nameOf = (code: grpc.status): string =>
  (grpc.status[code] ?? "")
    .toLowerCase()
    .replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

const clientOf = (address: string, name: string, authority: string) =>
  new grpc.Client(address, grpc.credentials.createSsl(Buffer.from(authority)), {
    "grpc.ssl_target_name_override": name,
    "grpc.default_authority": name,
  });

/** The status of one call. */
export async function callOnce(address: string, name: string, authority: string): Promise<string> {
  const client = clientOf(address, name, authority);
  const code = await new Promise<grpc.status>((resolve) =>
    client.makeUnaryRequest("/tests.Echo/Once", pass, pass, Buffer.from("x"), (error) =>
      resolve(error?.code ?? 0),
    ),
  );
  client.close();
  return nameOf(code);
}

/** Makes the same calls as the program in Go. @param authority PEM */
export async function callAll(address: string, name: string, authority: string): Promise<Called> {
  const client = clientOf(address, name, authority);
  const once = (path: string, body: Buffer, deadline?: Date) =>
    new Promise<{ size: number; code: string; text: string }>((resolve) =>
      client.makeUnaryRequest(path, pass, pass, body, { deadline }, (error, answer) =>
        resolve({
          size: answer?.length ?? 0,
          code: nameOf(error?.code ?? 0),
          text: error?.details ?? "",
        }),
      ),
    );
  const duplex = (path: string) => client.makeBidiStreamRequest(path, pass, pass);
  const heard = (stream: grpc.ClientDuplexStream<Buffer, Buffer>): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const all: string[] = [];
      stream.on("data", (part) => all.push(String(part)));
      stream.on("error", reject).on("end", () => resolve(all));
    });
  const said = (path: string, messages: number) => {
    const stream = duplex(path);
    for (let index = 0; index < messages; index++) stream.write(Buffer.from(String(index)));
    stream.end();
    return heard(stream);
  };
  async function many(count: number): Promise<number> {
    const streams = Array.from({ length: count }, () => duplex("/tests.Echo/Chat"));
    const first = streams.map((stream) => new Promise((resolve) => stream.once("data", resolve)));
    const all = streams.map(heard);
    for (const stream of streams) stream.write(Buffer.from("one"));
    await Promise.all(first);
    for (const stream of streams) stream.end(Buffer.from("one"));
    return (await Promise.all(all)).filter((words) => words.length === 2).length;
  }
  try {
    const { size } = await once("/tests.Echo/Once", Buffer.alloc(4_000_000, "x"));
    const [count, sum, chat] = [
      await said("/tests.Echo/Count", 1),
      await said("/tests.Echo/Sum", 3),
      await said("/tests.Echo/Chat", 3),
    ];
    const late = await once("/tests.Echo/Never", Buffer.alloc(0), new Date(Date.now() + 300));
    const refused = await once("/tests.Echo/Refused", Buffer.alloc(0));
    return {
      ...{ big: size, count, sum, chat, late: late.code, refused: [refused.code, refused.text] },
      many: await many(1000),
    };
  } finally {
    client.close();
  }
}
