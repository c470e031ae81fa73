import { createReadStream, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readTraffic } from "@tunnelplane/sdk/traffic";
import { writeWholeLater } from "../state/files";
import { Hour } from "./hour";

const HOUR_MS = 3_600_000;
const FILE = /^(\d{4}-\d{2}-\d{2}T\d{2})\.jsonl$/;

/** The hour of a time in milliseconds, as lines have it. */
export const hourAt = (time: number): string => `${new Date(time).toISOString().slice(0, 13)}:00:00Z`;

const endOf = (hour: string): number => Date.parse(hour) + HOUR_MS;

/** Where traffic is kept within a state. */
export const trafficFolder = (state: string): string => join(state, "traffic");

/** The folder with a file of traffic for each hour, readable only by its owner. */
export class TrafficFiles {
  constructor(readonly folder: string) {}

  get exists(): boolean {
    return existsSync(this.folder);
  }

  /** The hours that ended later than a time in milliseconds, the oldest first. */
  hoursSince(time: number): string[] {
    return this.#hours().filter((hour) => endOf(hour) > time);
  }

  #hours(): string[] {
    if (!this.exists) return [];
    const hours = readdirSync(this.folder).flatMap((name) => FILE.exec(name)?.[1] ?? []);
    return hours.map((hour) => `${hour}:00:00Z`).sort();
  }

  /** An hour, empty where nothing was recorded. @returns besides, how many of its lines are damaged */
  async read(begin: string): Promise<{ readonly hour: Hour; readonly damaged: number }> {
    const hour = new Hour(begin);
    let damaged = 0;
    if (existsSync(this.#file(begin)))
      for await (const line of readTraffic(createReadStream(this.#file(begin))))
        if ("damaged" in line) damaged++;
        else hour.add(line);
    return { hour, damaged };
  }

  write = (hour: Hour): Promise<void> => writeWholeLater(this.#file(hour.begin), [...hour.lines()].join(""));

  /** Deletes the hours that ended at or before a time in milliseconds. */
  deleteUntil(time: number): void {
    for (const hour of this.#hours().filter((one) => endOf(one) <= time))
      rmSync(this.#file(hour), { force: true });
  }

  #file = (hour: string): string => join(this.folder, `${hour.slice(0, 13)}.jsonl`);
}
