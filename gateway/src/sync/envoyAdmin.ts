import { request } from "node:http";

import { causeIn } from "./envoyProgram";

const MAX_MS = 2000;

/** How Envoy dealt with the versions of a file. */
export interface Updates {
  /** The one that it took last. */
  readonly version: string;
  readonly attempts: number;
  /** Read, and refused. */
  readonly refused: number;
  readonly unread: number;
}

/** Envoy's admin interface, at a Unix socket. */
export class EnvoyAdmin {
  constructor(readonly socket: string) {}

  async isReady(): Promise<boolean> {
    return (await this.ask("/ready").catch(() => "")).startsWith("LIVE");
  }

  /** The addresses that Envoy listens on, as `ADDRESS:PORT`. */
  async listening(): Promise<string[]> {
    const said = await this.ask("/listeners").catch(() => "");
    return [...said.matchAll(/::(\S+:\d+)$/gm)].flatMap(([, address]) => address ?? []);
  }

  /** How Envoy dealt with the versions of a file since it started; undefined while it does not answer. */
  async updates(stats: string): Promise<Updates | undefined> {
    const said = await this.ask(`/stats?filter=${stats}.(update_|version_text)`).catch(() => undefined);
    if (said === undefined) return undefined;
    const values = new Map(
      said.split("\n").map((line) => [line.slice(stats.length + 1).split(": ")[0], line.split(": ")[1]]),
    );
    const count = (name: string) => Number(values.get(`update_${name}`) ?? 0);
    return {
      version: values.get("version_text")?.replaceAll('"', "") ?? "",
      attempts: count("attempt"),
      refused: count("rejected"),
      unread: count("failure"),
    };
  }

  /** The mistake in the listener that it refused last. */
  async listenerFault(): Promise<string | undefined> {
    const said = await this.#dump<{ error_state?: { details?: string } }>(
      "dynamic_listeners",
      "error_state.details",
    );
    const details = said.flatMap(({ error_state }) => error_state?.details ?? []).at(-1);
    return details === undefined ? undefined : causeIn(details);
  }

  /** The clusters that it has, by name: the version of the file in which each came or changed. */
  async clusters(): Promise<ReadonlyMap<string, string>> {
    const kinds = ["dynamic_active_clusters", "dynamic_warming_clusters"];
    type Held = { readonly version_info?: string; readonly cluster?: { readonly name?: string } };
    const held = await Promise.all(kinds.map((kind) => this.#dump<Held>(kind, "cluster.name,version_info")));
    return new Map(held.flat().map(({ cluster, version_info = "" }) => [cluster?.name ?? "", version_info]));
  }

  async #dump<T>(resource: string, mask: string): Promise<readonly T[]> {
    const said = await this.ask(`/config_dump?resource=${resource}&mask=${mask}`).catch(() => "{}");
    const { configs = [] }: { configs?: T[] } = JSON.parse(said);
    return configs;
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
