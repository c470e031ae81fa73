import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, createSecureServer, type Http2ServerRequest } from "node:http2";
import { createServer as createSocketServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { DevelopmentAuthority } from "../certificates/developmentAuthority";
import { addressText } from "../envoy/address";
import { shortHash } from "../envoy/hostports";
import type { WholeToken } from "./asked";
import type { KeySets } from "./tokens";

/** Each takes a socket and a certificate. */
const MAX_HOSTS = 200;
/** Names who answered, in answers of stand-ins. */
export const WHO = "x-tunnelplane-stand-in";
/** Where Envoy fetches the tokens of a user who signs in. */
export const TOKEN_PATH = "/.tunnelplane/trial/token";
/** The value of a header of each service, in a request that it signed. */
export const SIGNED = "signed in the trial";
const WEBHOOKS = "the check of webhooks";
const HEALTH = "the health of agents";
const TLS_HANDSHAKE = 0x16;

/**
 * Programs that stand in for the backends, agents, key sets and issuers of a world. Each answers its name,
 * over plain HTTP or over TLS, as the client chooses.
 */
export class StandIns {
  readonly #wanted = new Map<string, { readonly host: string; readonly name: string }>();
  readonly #servers = new Map<string, Server>();
  readonly #open = new Set<Socket>();

  constructor(
    /** The folder of the sockets. */
    private readonly folder: string,
    private readonly authority: DevelopmentAuthority,
    private readonly keySets: KeySets,
  ) {}

  /** Another world follows, which names its own destinations. */
  begin(): void {
    this.#wanted.clear();
  }

  /** The socket of the stand-in for an address. {@link listen} starts it. */
  at(host: string, port: number): string {
    const name = addressText({ host, port });
    const socket = join(this.folder, `${shortHash(`address ${name}`)}.sock`);
    this.#wanted.set(socket, { host, name });
    return socket;
  }

  /** Whether something of this name stands in. */
  has = (name: string): boolean => [...this.#wanted.values()].some((one) => one.name === name);

  /** @param socket where Envoy asks whether a service signed a request */
  webhooks(socket: string): void {
    this.#wanted.set(socket, { host: "gateway.invalid", name: WEBHOOKS });
  }

  /** @param socket where Envoy asks whether there are agents */
  health(socket: string): void {
    this.#wanted.set(socket, { host: "gateway.invalid", name: HEALTH });
  }

  /** @param socket where Envoy looks for agents */
  agent(socket: string, name: string): void {
    this.#wanted.set(socket, { host: "agent.invalid", name });
  }

  /** Starts the stand-ins that are wanted, and stops the others. */
  async listen(): Promise<void> {
    const left = [...this.#servers].filter(([socket]) => !this.#wanted.has(socket));
    for (const [socket, server] of left) {
      server.close();
      this.#servers.delete(socket);
    }
    if (this.#wanted.size > MAX_HOSTS)
      throw new Error(
        `the edges of these requests go to ${this.#wanted.size} places, and a trial has at most ${MAX_HOSTS}: try fewer requests at once`,
      );
    for (const [socket, { host, name }] of this.#wanted) {
      if (this.#servers.has(socket)) continue;
      const [own] = await this.authority.certificates([host]);
      const server = speaking((asked, answer) => this.#answer(name, asked, answer), {
        cert: own?.chain,
        key: own?.key,
      });
      server.on("connection", (one) => {
        this.#open.add(one);
        one.on("close", () => this.#open.delete(one));
      });
      await new Promise<void>((resolve, reject) =>
        server.once("error", reject).listen(socket, () => resolve()),
      );
      this.#servers.set(socket, server);
    }
  }

  #answer(name: string, asked: IncomingMessage, answer: ServerResponse): void {
    const path = asked.url ?? "/";
    if (name === WEBHOOKS) {
      asked.resume();
      const isSigned = Object.values(asked.headers).includes(SIGNED);
      return void answer.writeHead(isSigned ? 200 : 403).end();
    }
    if (name === HEALTH) {
      const isThere = this.#wanted.has(join(this.folder, path));
      return void answer.writeHead(isThere ? 200 : 503).end();
    }
    answer.setHeader(WHO, name);
    if (path === TOKEN_PATH) return void this.#exchange(asked, answer);
    asked.resume();
    answer.end(this.keySets.at(name, path) ?? `${name}\n`);
  }

  /** Answers the ID token that a code describes. */
  async #exchange(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const code = new URLSearchParams(await text(asked).catch(() => "")).get("code") ?? "";
    const id_token = this.keySets.sign({ ...readCode(code), algorithm: "RS256" });
    answer.setHeader("content-type", "application/json");
    answer.end(
      JSON.stringify({ access_token: "of the trial", id_token, token_type: "Bearer", expires_in: 600 }),
    );
  }

  stop(): void {
    for (const server of this.#servers.values()) server.close();
    for (const one of this.#open) one.destroy();
  }
}

/** The names of agents that bind a hostport or labels. */
export const agentsOf = (bound: string | Readonly<Record<string, string>>): string =>
  typeof bound === "string"
    ? `agents of ${bound}`
    : `agents of ${Object.entries(bound)
        .map(([key, value]) => `${key}=${value}`)
        .sort()
        .join(",")}`;

/** The contents of a user's ID token, and the key set that has the key of its signature. */
type InCode = Pick<WholeToken, "issuer" | "audiences" | "keys" | "claims">;

/** A code for a user who comes back from an issuer: it holds what an issuer would remember. */
export const codeFor = (user: InCode): string => Buffer.from(JSON.stringify(user)).toString("base64url");

/** Only codes of the trial's own requests arrive. */
function readCode(code: string): InCode {
  try {
    return JSON.parse(Buffer.from(code, "base64url").toString());
  } catch {
    return { issuer: "", audiences: [], keys: "", claims: {} };
  }
}

/** An HTTP server that sees by the first byte whether the client speaks TLS, HTTP/2 or HTTP/1.1. */
function speaking(
  answer: (asked: IncomingMessage, answer: ServerResponse) => void,
  own: { readonly cert?: string; readonly key?: string },
): Server {
  const plain = createServer(answer);
  // The objects of both protocols have what is used here.
  const either = answer as unknown as (asked: Http2ServerRequest) => void;
  const newer = createHttp2Server(either);
  const secure = createSecureServer({ ...own, allowHTTP1: true }, either);
  secure.on("tlsClientError", (_, socket) => socket.destroy());
  return createSocketServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", (first) => {
      socket.pause();
      socket.unshift(first);
      if (first[0] === TLS_HANDSHAKE) return void secure.emit("connection", socket);
      // TLS and HTTP/2 read by themselves, and would miss bytes that are read before they are set up.
      if (first.subarray(0, 3).toString() === "PRI") return void newer.emit("connection", socket);
      plain.emit("connection", socket);
      socket.resume();
    });
  });
}
