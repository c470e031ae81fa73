import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Json, typed } from "../envoy/json";
import { readKept, writeWhole } from "../state/files";
import type { EnvoyAdmin, Updates } from "./envoyAdmin";

const FILES = {
  cds: { type: "envoy.config.cluster.v3.Cluster", stats: "cluster_manager.cds" },
  lds: { type: "envoy.config.listener.v3.Listener", stats: "listener_manager.lds" },
} as const;
type Name = keyof typeof FILES;
const NAMES: readonly Name[] = ["cds", "lds"];

const LOOK_EVERY_MS = 10;

/** Envoy's reaction to a file; "silent" if there was none in time. */
export type Outcome = "taken" | "refused" | "unread" | "ended" | "silent" | "nobody is there";

interface Written {
  readonly version_info: string;
  readonly resources: readonly Json[];
}

/**
 * The files of clusters and listeners that Envoy reads. The last good one of each is kept, and put back when
 * Envoy refuses another and before Envoy starts: one bad file never takes all down.
 */
export class EnvoyFiles {
  /** The version that it took last, by the name of the file. */
  readonly #taken = new Map<Name, { readonly text: string; readonly version: string }>();
  #version = 0;

  constructor(
    private readonly folder: string,
    private readonly admin: EnvoyAdmin,
  ) {
    // This is a folder of its own because Envoy may watch the other one as a whole.
    mkdirSync(join(folder, "taken"), { recursive: true, mode: 0o700 });
  }

  /** Whether Envoy ever took a configuration; it starts with that one. */
  get hasTaken(): boolean {
    return existsSync(this.#kept("lds"));
  }

  /** Puts the files in place that Envoy took last, for an Envoy that starts. */
  prepare(): void {
    for (const name of NAMES)
      if (existsSync(this.#kept(name)) || !existsSync(this.#file(name))) this.#putBack(name);
  }

  /** Keeps the files that a running Envoy has taken, if the gateway that wrote them ended before it did. */
  async keepTaken(): Promise<void> {
    for (const name of NAMES) {
      if (existsSync(this.#kept(name))) continue;
      const updates = await this.admin.updates(FILES[name].stats);
      if (updates !== undefined && updates.version === readKept<Written>(this.#file(name))?.version_info)
        this.#keep(name);
    }
  }

  /** The resources that Envoy took last; undefined if that is not known. */
  async taken(name: Name): Promise<readonly Json[] | undefined> {
    const updates = await this.admin.updates(FILES[name].stats);
    if (updates === undefined) return undefined;
    const written = readKept<Written>(this.#kept(name));
    return written?.version_info === updates.version
      ? written.resources.map(({ "@type": _, ...resource }) => resource)
      : [];
  }

  /** Puts a file in place, and waits for Envoy's reaction. @param patience in milliseconds */
  async put(
    name: Name,
    resources: readonly Json[],
    patience: number,
  ): Promise<{ readonly outcome: Outcome; readonly version: string }> {
    const { type, stats } = FILES[name];
    const text = JSON.stringify(resources.map((one) => typed(type, one)));
    const version = `${Date.now()}.${++this.#version}`;
    const write = () => writeWhole(this.#file(name), `{"version_info":"${version}","resources":${text}}`);
    const before = await this.admin.updates(stats);
    if (!before) {
      // Envoy starts with the file that it took last; if it has never taken one, there is nothing better than
      // this.
      if (!existsSync(this.#kept(name))) write();
      return { outcome: "nobody is there", version };
    }
    // It reads a file as a whole, however little of it changed.
    const taken = this.#taken.get(name);
    if (taken?.text === text && taken.version === before.version) return { outcome: "taken", version };
    write();
    const outcome = await this.#outcome(name, version, before, patience);
    if (outcome === "taken") {
      this.#taken.set(name, { text, version });
      this.#keep(name);
    }
    return { outcome, version };
  }

  /**
   * Puts the file back that Envoy took last, and waits until Envoy has read it.
   *
   * @param patience in milliseconds
   */
  async undo(name: Name, patience: number): Promise<void> {
    const { stats } = FILES[name];
    const before = await this.admin.updates(stats);
    this.#putBack(name);
    for (const end = Date.now() + patience; before && Date.now() < end; await sleep(LOOK_EVERY_MS)) {
      const now = await this.admin.updates(stats);
      if (now && now.attempts !== before.attempts) return;
    }
  }

  async #outcome(name: Name, version: string, before: Updates, patience: number): Promise<Outcome> {
    for (const end = Date.now() + patience; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
      const now = await this.admin.updates(FILES[name].stats);
      if (!now) continue;
      if (now.version === version) return "taken";
      // Another Envoy began to count anew; before it started, this file was taken away.
      if (now.attempts < before.attempts) return "ended";
      if (now.refused > before.refused) return "refused";
      if (now.unread > before.unread) return "unread";
    }
    return "silent";
  }

  #keep(name: Name): void {
    const kept = this.#kept(name);
    copyFileSync(this.#file(name), `${kept}.new`);
    renameSync(`${kept}.new`, kept);
  }

  #putBack(name: Name): void {
    const kept = this.#kept(name);
    writeWhole(
      this.#file(name),
      existsSync(kept) ? readFileSync(kept, "utf8") : JSON.stringify({ version_info: "0", resources: [] }),
    );
  }

  readonly #file = (name: Name): string => join(this.folder, `${name}.json`);
  readonly #kept = (name: Name): string => join(this.folder, "taken", `${name}.json`);
}
