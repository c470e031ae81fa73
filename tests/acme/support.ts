import { readFileSync } from "node:fs";
import { createServer as createTlsServer, request as requestTls } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../support/api/expect";
import { execute } from "../support/databases";
import { atEndOfFile } from "../support/endOfFile";
import { PEBBLE, type Pebble } from "../support/pebble";
import { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";

const NEW_ORDER = "/order-plz";
/** A refusal in the place of the authority's own answer: what Pebble cannot do. */
export type Refusal = { readonly status: number; readonly problem: object; readonly retryAfter?: number };

/** Stands between a server and Pebble: counts orders, and refuses as real authorities do. */
export class StandInRefusals {
  orders = 0;
  refused = 0;
  /** In the place of the answer to each new order; or to each request for an address that begins so. */
  refusal: Refusal | undefined;
  refuses = NEW_ORDER;
  /** Called once the authority has made an order; its answer is never handed on. */
  whenAnswerIsLost: (() => void) | undefined;
  /** Requests for addresses that begin so wait until they are taken out of this list. */
  held: readonly string[] = [];
  isAway = false;
  readonly #server;

  private constructor(private readonly pebble: Pebble) {
    const [cert, key] = ["cert.pem", "key.pem"].map((name) => readFileSync(join(pebble.folder, name)));
    this.#server = createTlsServer({ cert, key }, async (asked, answer) => {
      if (this.isAway) return void asked.socket.destroy();
      const isHeld = () => this.held.some((path) => asked.url?.startsWith(path));
      while (isHeld() && !asked.socket.destroyed) await sleep(10);
      const isOrder = asked.method === "POST" && asked.url === NEW_ORDER;
      if (this.refusal && asked.method === "POST" && asked.url?.startsWith(this.refuses)) {
        this.refused++;
        const { status, problem, retryAfter } = this.refusal;
        asked.resume();
        const headers = { "content-type": "application/problem+json", "replay-nonce": await this.#nonce() };
        if (retryAfter !== undefined) answer.setHeader("retry-after", retryAfter);
        answer.writeHead(status, headers);
        return void answer.end(JSON.stringify(problem));
      }
      const on = requestTls(
        {
          ...{ host: "127.0.0.1", port: pebble.port, path: asked.url, method: asked.method },
          headers: asked.headers,
          rejectUnauthorized: false,
        },
        (got) => {
          if (isOrder && got.statusCode === 201) {
            this.orders++;
            if (this.whenAnswerIsLost) return void this.whenAnswerIsLost();
          }
          answer.writeHead(got.statusCode ?? 500, got.headers);
          got.pipe(answer);
        },
      );
      on.on("error", () => answer.destroy());
      asked.pipe(on);
    });
  }

  static async start(pebble: Pebble): Promise<StandInRefusals> {
    const one = new StandInRefusals(pebble);
    atEndOfFile(() => one.#server.closeAllConnections());
    await new Promise<void>((resolve) => one.#server.listen(0, "127.0.0.1", resolve));
    return one;
  }

  #nonce = (): Promise<string> =>
    new Promise((resolve, reject) =>
      requestTls(
        {
          ...{ host: "127.0.0.1", port: this.pebble.port, path: "/nonce-plz", method: "HEAD" },
          headers: { "user-agent": "tests" },
          rejectUnauthorized: false,
        },
        (got) => {
          got.resume();
          resolve(String(got.headers["replay-nonce"]));
        },
      )
        .on("error", reject)
        .end(),
    );

  get flags(): string[] {
    const { port } = this.#server.address() as AddressInfo;
    return ["--acme-directory", `https://localhost:${port}/dir`, ...this.pebble.flags.slice(2)];
  }
}

export class OrderedDomain {
  private constructor(
    readonly rest: Rest,
    readonly uri: string,
  ) {}

  static async make(
    { rest }: Pick<ServerProcess, "rest">,
    domain: string,
    policy: object = {},
  ): Promise<OrderedDomain> {
    const body = await rest.created("/reserved_domains", { domain, certificate_management_policy: policy });
    return new OrderedDomain(rest, new URL(body.uri).pathname);
  }

  at = ({ url, apiKey }: Pick<ServerProcess, "url" | "apiKey">) =>
    new OrderedDomain(new Rest(url, apiKey), this.uri);

  read = async (): Promise<Json> => (await this.rest.get(this.uri)).body;

  /** What is said of the order in progress; null for none. */
  job = async (): Promise<Json | null> => {
    const { certificate_management_status: status } = await this.read();
    return (status as { provisioning_job: Json | null } | null)?.provisioning_job ?? null;
  };

  async until(isIt: (domain: Json) => boolean): Promise<Json> {
    for (;;) {
      const now = await this.read();
      if (isIt(now)) return now;
      await sleep(50);
    }
  }

  /** The certificate, once there is one, and another one than before. */
  async certificate(before?: string): Promise<Json> {
    const { certificate } = await this.until(
      (now) => now.certificate !== null && (now.certificate as Json).id !== before,
    );
    return (await this.rest.get(String((certificate as Json).uri))).body;
  }

  async reason(): Promise<Json> {
    const { certificate_management_status: status } = await this.until(
      (now) =>
        !!(now.certificate_management_status as { provisioning_job: Json | null }).provisioning_job
          ?.error_code,
    );
    return (status as { provisioning_job: Json }).provisioning_job;
  }
}

/** Sets the clock of a server ahead, hour by hour: a signal that comes too soon after another is lost. */
export async function passHours(server: ServerProcess, hours: number): Promise<void> {
  const rest = server.rest;
  const clock = async () => Date.parse((await rest.post("/ip_policies", {})).body.created_at);
  for (let hour = 0; hour < hours; hour++) {
    const before = await clock();
    server.passAnHour();
    while ((await clock()) < before + HALF_AN_HOUR_MS) await sleep(10);
  }
}

const HALF_AN_HOUR_MS = 30 * 60_000;

export const needsPebble = (test: Mocha.Context): void => {
  if (PEBBLE) return;
  console.log("    Skipped: Pebble could not be built, because Go or its module proxy is missing");
  test.skip();
};

/** As if a minute had passed since the server that was killed took it. */
export const releaseLease = async (data: string): Promise<void> => {
  await execute(data, "delete from acme_lease");
};
