import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { type Configuration, type Environment, objectsOf, translate } from "../../gateway/dist";
import { readAnswer } from "../../gateway/dist/trial/http1";
import {
  type Certificate,
  certificate,
  inTemporaryFolder,
  KEY_ARGUMENTS,
  run,
} from "../support/api/fixtures";
import { atEndOfFile } from "../support/endOfFile";
import { EnvoyProcess, needsEnvoy } from "../support/envoy";
import { newFolder } from "../support/folder";
import { freePort } from "../support/ports";
import { SURROUNDINGS } from "./worlds";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
export interface Ask extends ConnectionOptions {
  /** The name in TLS. Default app.example.com. */
  readonly sni?: string;
  /** Default: the name in TLS. */
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Over HTTP/1 only. */
  readonly body?: string;
  readonly localAddress?: string;
}
type World = readonly { kind: string; fields: object }[];

/** A real Envoy for a file, before a server that echoes requests. Without Envoy, it skips the file. */
export function envoyOfThisFile() {
  const state = {} as {
    envoy: EnvoyProcess;
    port: number;
    upstream: Upstream;
    own: Certificate;
    trust: string;
    folder: string;
  };
  before("start Envoy", async function () {
    needsEnvoy(this);
    state.own = certificate({
      name: "app.example.com",
      extensions: [
        "subjectAltName = DNS:example.com,DNS:*.example.com,DNS:*.b.example.com,DNS:localhost,IP:127.0.0.1",
      ],
    });
    state.folder = newFolder();
    state.trust = join(state.folder, "trust.pem");
    writeFileSync(state.trust, state.own.pem);
    state.upstream = await Upstream.start("one");
    state.port = await freePort();
    state.envoy = await EnvoyProcess.start();
  });
  const configurationOf = (world: World, more: Partial<Environment> = {}): Configuration =>
    translate(objectsOf(world), {
      ...SURROUNDINGS,
      certificates: [
        {
          ...{ names: ["example.com", "*.example.com", "*.b.example.com"], chain: state.own.pem },
          ...{ key: state.own.privateKey, notBefore: 0, notAfter: 4e12 },
        },
      ],
      listen: [{ port: 443, address: "127.0.0.1", bindPort: state.port }],
      sockets: state.folder,
      trust: state.trust,
      ...more,
    });
  return {
    state,
    configurationOf,
    async serve(world: World, more: Partial<Environment> = {}): Promise<Configuration> {
      const configuration = configurationOf(world, more);
      await state.envoy.push(configuration);
      return configuration;
    },
    http1: (path: string, ask: Ask = {}) => http1(state.port, path, ask),
    http2: (path: string, ask: Ask = {}) => http2(state.port, path, ask),
    overOneConnection: (requests: Parameters<typeof overOneConnection>[1], ask: Ask = {}) =>
      overOneConnection(state.port, requests, ask),
    tls: (ask: Ask = {}) => tls(state.port, ask),
  };
}

export class Upstream {
  private constructor(
    private readonly server: Server,
    readonly address: string,
  ) {}
  /** @param host the one address at which it listens */
  static async start(name: string, host = "127.0.0.1", at = 0): Promise<Upstream> {
    const server = createServer((request, response) =>
      response.end(JSON.stringify({ name, path: request.url, headers: request.headers })),
    );
    await new Promise<void>((resolve) => server.listen({ port: at, host, ipv6Only: true }, resolve));
    atEndOfFile(() => server.closeAllConnections());
    return new Upstream(server, `${host}:${(server.address() as AddressInfo).port}`);
  }
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
  stop(): Promise<void> {
    (this.server as ReturnType<typeof createServer>).closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

type Key = keyof typeof KEY_ARGUMENTS;

/** A certificate that an authority signed, from 2024 until this time. */
export const signedUntil = (authority: Certificate, end: Date, names = "", kind: Key = "ec"): Certificate =>
  inTemporaryFolder((folder) => {
    const file = (name: string, text: string) => writeFileSync(join(folder, name), text);
    file("ca.pem", authority.pem);
    file("ca.key", authority.privateKey);
    file("index", "");
    file("serial", "01\n");
    file(
      "config",
      `[ca]\ndefault_ca = one\n[one]\nnew_certs_dir = .\ndatabase = index\nserial = serial\ndefault_md = sha256\npolicy = any
x509_extensions = more\n[any]\ncommonName = supplied\n[more]\nbasicConstraints = critical,CA:FALSE\n${names}
[req]\ndistinguished_name = subject\nprompt = no\n[subject]\nCN = client\n`,
    );
    const openssl = (text: string) => run(folder, "openssl", ...text.split(" "));
    const key = `-newkey ${KEY_ARGUMENTS[kind].join(" ")} -nodes -keyout key.pem`;
    openssl(`req -new ${key} -config config -out client.csr`);
    const until = end.toISOString().replace(/[-:T]|\.\d+/g, "");
    const dates = `-startdate 20240101000000Z -enddate ${until}`;
    openssl(
      `ca -batch -config config -cert ca.pem -keyfile ca.key -in client.csr -out client.pem -notext ${dates}`,
    );
    const [pem = "", privateKey = ""] = ["client.pem", "key.pem"].map((name) =>
      readFileSync(join(folder, name), "utf8"),
    );
    return { pem, privateKey };
  });

/** A certificate that an authority signed for a client. @param kind of the client's key */
export const signedBy = (authority: Certificate, kind: Key = "ec"): Certificate =>
  signedUntil(authority, new Date(Date.now() + 30 * 86_400_000), "", kind);

export function tls(port: number, { sni = "app.example.com", ...ask }: Ask = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: "127.0.0.1", port, servername: sni, rejectUnauthorized: false, ...ask },
      () => resolve(socket),
    );
    socket.on("error", reject).on("close", () => reject(new Error("closed")));
    socket.setTimeout(MAX_MS, () => socket.destroy());
  });
}

/** Sends a request with exactly this path. Status 0: the connection was closed without an answer. */
export async function http1(port: number, path: string, ask: Ask = {}): Promise<Answer> {
  const { sni = "app.example.com", host = sni, method = "GET", headers = {}, body, ...options } = ask;
  const socket = await tls(port, { sni, ALPNProtocols: ["http/1.1"], ...options }).catch(() => undefined);
  if (!socket) return NO_ANSWER;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    "connection: close",
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return readAnswer(socket, `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

/** No request here takes long, so a hanging one counts as unanswered. */
const MAX_MS = 4000;
const NO_ANSWER: Answer = { status: 0, headers: {}, body: "" };

export async function http2(port: number, path: string, ask: Ask = {}): Promise<Answer> {
  const [answer] = await overOneConnection(
    port,
    [{ path, host: ask.host, method: ask.method, headers: ask.headers }],
    ask,
  );
  return answer ?? NO_ANSWER;
}

export async function overOneConnection(
  port: number,
  requests: readonly (Pick<Ask, "host" | "method" | "headers"> & { readonly path: string })[],
  { sni = "app.example.com", host: _, method: __, headers: ___, ...options }: Ask = {},
): Promise<Answer[]> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, {
    servername: sni,
    rejectUnauthorized: false,
    ...options,
  });
  const broken = new Promise<Answer>((resolve) => {
    const end = () => resolve(NO_ANSWER);
    session.on("error", end).on("close", end);
    session.setTimeout(MAX_MS, end);
  });
  const answers: Answer[] = [];
  for (const { path, host = sni, method = "GET", headers = {} } of requests) {
    const asked = { ":path": path, ":method": method, ":authority": host, ...headers };
    answers.push(await Promise.race([broken, answerTo(() => session.request(asked))]));
  }
  session.destroy();
  return answers;
}

function answerTo(request: () => ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve) => {
    const stream = request();
    let [headers, body]: [Record<string, string>, string] = [{}, ""];
    stream.on("response", (got) => {
      headers = Object.fromEntries(Object.entries(got).map(([name, value]) => [name, String(value)]));
    });
    stream.on("data", (chunk) => {
      body += chunk;
    });
    stream.on("error", () => resolve(NO_ANSWER));
    stream.on("end", () => resolve({ status: Number(headers[":status"] ?? 0), headers, body }));
    stream.end();
  });
}
