import { request } from "node:http";

const MAX_MS = 2000;

/** Envoy's admin interface, at a Unix socket. */
export class EnvoyAdmin {
  constructor(readonly socket: string) {}

  isThere = async (): Promise<boolean> => (await this.#state()) !== "";
  isReady = async (): Promise<boolean> => (await this.#state()).startsWith("LIVE");
  readonly #state = (): Promise<string> => this.ask("/ready").catch(() => "");

  /** The addresses that Envoy listens on, as `ADDRESS:PORT`. */
  async listening(): Promise<string[]> {
    const answer = await this.ask("/listeners").catch(() => "");
    return [...answer.matchAll(/::(\S+:\d+)$/gm)].flatMap(([, address]) => address ?? []);
  }

  /** The value of a statistic; undefined if it is not known. */
  async gauge(name: string): Promise<number | undefined> {
    const answer = await this.ask(`/stats?filter=^${name}$`).catch(() => "");
    const [, value] = answer.split(": ");
    return value === undefined ? undefined : Number(value);
  }

  ask(path: string, method = "GET"): Promise<string> {
    return new Promise((resolve, reject) => {
      request({ socketPath: this.socket, path, method, timeout: MAX_MS }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        answer.on("end", () => resolve(text)).on("error", reject);
      })
        .on("timeout", function (this: { destroy(error: Error): void }) {
          this.destroy(new Error("Envoy's admin interface does not answer"));
        })
        .on("error", reject)
        .end();
    });
  }
}
