import { request } from "node:http";
import { present } from "@tunnelplane/sdk/contract";

const LONGEST_MS = 2000;

/** Envoy's admin interface, at a Unix socket. */
export class EnvoyAdmin {
  constructor(readonly socket: string) {}

  async isReady(): Promise<boolean> {
    return (await this.ask("/ready").catch(() => "")).startsWith("LIVE");
  }

  /** What Envoy listens on, as `ADDRESS:PORT`. */
  async listening(): Promise<string[]> {
    const said = await this.ask("/listeners").catch(() => "");
    return [...said.matchAll(/::(\S+:\d+)$/gm)].map(([, place]) => place as string);
  }

  /** Undefined while it does not answer. */
  async counters(prefix: string): Promise<Record<string, number> | undefined> {
    const text = await this.ask(`/stats?filter=${prefix}update`).catch(() => undefined);
    if (text === undefined) return undefined;
    return Object.fromEntries(
      text.split("\n").map((line) => [present(line.slice(prefix.length).split(": ")[0]), Number(line.split(": ")[1])]),
    );
  }

  /** What is wrong with the listener that it refused last. */
  async listenerFault(): Promise<string | undefined> {
    const said = await this.#dump<{ error_state?: { details?: string } }>("dynamic_listeners", "error_state.details");
    return said.flatMap(({ error_state }) => error_state?.details ?? []).at(-1);
  }

  /** The clusters that it has, by name: the version of the file that each came or changed with. */
  async clusters(): Promise<ReadonlyMap<string, string>> {
    const kinds = ["dynamic_active_clusters", "dynamic_warming_clusters"];
    type Held = { readonly version_info?: string; readonly cluster?: { readonly name?: string } };
    const held = await Promise.all(kinds.map((kind) => this.#dump<Held>(kind, "cluster.name,version_info")));
    return new Map(held.flat().map(({ cluster, version_info = "" }) => [cluster?.name ?? "", version_info]));
  }

  /** Whether this version of the file of clusters is the last that it took as a whole; undefined while it does not answer. */
  async tookClusters(version: string): Promise<boolean | undefined> {
    const said = await this.ask("/stats?filter=cluster_manager.cds.version_text").catch(() => undefined);
    return said?.includes(`: "${version}"`);
  }

  async #dump<T>(resource: string, mask: string): Promise<readonly T[]> {
    const said = await this.ask(`/config_dump?resource=${resource}&mask=${mask}`).catch(() => "{}");
    return (JSON.parse(said) as { configs?: T[] }).configs ?? [];
  }

  ask(path: string, method = "GET"): Promise<string> {
    return new Promise((resolve, reject) => {
      request({ socketPath: this.socket, path, method, timeout: LONGEST_MS }, (answer) => {
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
