import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { messageOf } from "@tunnelplane/sdk/contract";
import { ISSUER_SOCKET, KEYS, SESSION, UNKNOWN_KEY } from "../envoy/issuers";
import { readRules, type SessionRules } from "../envoy/sessionRules";
import { listenPrivately } from "../state/files";
import type { IssuerDocuments } from "./documents";
import { Refused, redeem } from "./redeem";
import { Sessions } from "./sessions";

/** Codes that are redeemed at a time, and of those for edges of one project. */
const [MAX_CONCURRENT, MAX_OF_PROJECT] = [64, 16];
const MAX_FORM_LENGTH = 65_536;

interface Options {
  readonly documents: IssuerDocuments;
  readonly sessionKey: string;
  readonly warn: (message: string) => void;
}

/**
 * What Envoy asks for at a socket beside those of agents: sessions in exchange for the codes of issuers, and
 * key sets. While the gateway is away, sessions go on, and Envoy keeps the keys that it has.
 */
export class IssuerSocket {
  readonly #sessions: Sessions;
  readonly #redeeming = new Map<string, number>();
  #all = 0;

  private constructor(
    private readonly path: string,
    private readonly options: Options,
  ) {
    this.#sessions = new Sessions(options.sessionKey);
  }

  /** @param folder of the sockets */
  static async start(folder: string, options: Options): Promise<IssuerSocket> {
    const one = new IssuerSocket(join(folder, ISSUER_SOCKET), options);
    await new Promise<void>((resolve, reject) =>
      listenPrivately(one.#server.once("error", reject), one.path, resolve),
    );
    return one;
  }

  readonly #server: Server = createServer((asked, answer) => {
    this.#answer(asked, answer).catch((error: unknown) => {
      this.options.warn(`a request of Envoy about issuers failed: ${messageOf(error)}`);
      answer.writeHead(500).end();
    });
  });

  async #answer(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const [, what, name = ""] = (asked.url ?? "").split("/");
    if (what === SESSION) return this.#session(readRules(name), asked, answer);
    asked.resume();
    const url = Buffer.from(name, "base64url").toString();
    if (what === UNKNOWN_KEY) {
      this.options.documents.askAgain(url);
      return void answer.writeHead(204).end();
    }
    const keys = what === KEYS ? this.options.documents.keySets?.get(url) : undefined;
    if (keys === undefined) return void answer.writeHead(503).end();
    answer.setHeader("content-type", "application/json");
    answer.end(keys);
  }

  async #session(rules: SessionRules, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await textOf(asked));
    try {
      const session =
        form.get("grant_type") === "refresh_token"
          ? this.#sessions.renew(rules, form.get("refresh_token") ?? "")
          : this.#sessions.begin(rules, await this.#idTokenFor(rules, form));
      if (!session) return void answer.writeHead(400).end();
      answer.setHeader("content-type", "application/json");
      answer.end(JSON.stringify(session));
    } catch (error) {
      const { issuer, clientId } = rules;
      this.options.warn(
        `nobody could be signed in at ${issuer} as ${clientId}: ${messageOf(error)}${error instanceof Refused ? "" : ". Is it reachable from here, and trusted (--trust)?"}`,
      );
      answer.writeHead(400).end();
    }
  }

  async #idTokenFor(rules: SessionRules, form: URLSearchParams): Promise<string | undefined> {
    const { project } = rules;
    const waiting = this.#redeeming.get(project) ?? 0;
    if (this.#all >= MAX_CONCURRENT || waiting >= MAX_OF_PROJECT)
      throw new Refused(`${this.#all} sign-ins wait for issuers, ${waiting} of them of this project`);
    this.#all++;
    this.#redeeming.set(project, waiting + 1);
    try {
      return await redeem(this.options.documents, rules, form);
    } finally {
      this.#all--;
      const left = (this.#redeeming.get(project) ?? 1) - 1;
      if (left > 0) this.#redeeming.set(project, left);
      else this.#redeeming.delete(project);
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.path, { force: true });
  }
}

async function textOf(asked: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of asked.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_FORM_LENGTH)
      throw new Refused(`a form has more than ${MAX_FORM_LENGTH} characters`);
  }
  return text;
}
