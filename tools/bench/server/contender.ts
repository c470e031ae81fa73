import { readFileSync } from "node:fs";
import { join } from "node:path";
import { present } from "@tunnelplane/sdk/contract";
import { treeOf } from "../../../tests/support/processes";
import { Rest } from "../../../tests/support/rest";
import { ServerProcess } from "../../../tests/support/server";
import type { LoadGenerator } from "../load";
import { amount } from "../settings";
import { creation, type Filled, SUBJECTS } from "./subject";

/** An odd number, so that two requests that alternate both reach every object; see `jobOf`. */
const OBJECTS = 997;
export const CONNECTIONS = 16;

/** One side of a comparison: one or more processes that answer the same requests. */
export interface Contender extends Filled {
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Contenders that stop together. */
export class Running {
  readonly #contenders: Contender[] = [];

  async add(starting: Contender | Promise<Contender>): Promise<Contender> {
    const contender = await starting;
    this.#contenders.push(contender);
    return contender;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#contenders.map((contender) => contender.stop()));
  }
}

/** The command line of a build. @param folder of a clone */
export function cliIn(folder: string): string {
  const { bin } = JSON.parse(readFileSync(join(folder, "server/package.json"), "utf8")) as {
    bin: Record<string, string>; // its name has changed
  };
  return join(folder, "server", present(Object.values(bin)[0]));
}

/**
 * Starts several of our servers on one database, a folder or a URL, and fills it. They log at their usual
 * level, to nowhere.
 */
export async function startServers(
  data: string,
  count: number,
  generator: LoadGenerator,
  { env, cli }: { env?: Record<string, string>; cli?: string } = {},
): Promise<Contender> {
  const servers: ServerProcess[] = [];
  for (let index = 0; index < count; index++)
    servers.push(await ServerProcess.start({ data, env, cli, keepLog: false }));
  const [first] = servers as [ServerProcess, ...ServerProcess[]];
  const contender = {
    subjects: SUBJECTS,
    urls: servers.map(({ url }) => url),
    pids: servers.flatMap(({ pid }) => treeOf(pid)),
    headers: { authorization: `Bearer ${first.apiKey}`, "service-version": "2" },
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
  try {
    const rest = new Rest(first.url, first.apiKey);
    const backend = await rest.post("/backends/tunnel_group", { labels: { service: "web" } });
    return await fill({ ...contender, backendId: backend.body.id }, generator);
  } catch (error) {
    await contender.stop();
    throw error;
  }
}

/** Creates the objects for the requests, and finds their ids. */
export async function fill(empty: Omit<Contender, "idsOf">, generator: LoadGenerator): Promise<Contender> {
  const idsOf: Record<string, string[]> = {};
  for (const subject of empty.subjects) {
    if (!subject) continue;
    const { path, listKey, all = path } = subject;
    const load = {
      ...empty,
      shots: [creation(subject, empty.backendId)],
      connections: CONNECTIONS,
      warmUp: 0,
      seconds: 0,
      amount: amount(OBJECTS),
    };
    const { errors } = await generator.run(load);
    if (errors > 0)
      throw new Error(`${errors} of ${amount(OBJECTS)} objects could not be created on ${empty.urls}`);
    const found: string[] = [];
    for (let next: string | null = all; next !== null; ) {
      const response = await fetch(next.startsWith("http") ? next : empty.urls[0] + next, {
        headers: empty.headers,
      });
      const page = (await response.json()) as { [key: string]: { id: string }[] } & {
        next_page_uri?: string | null;
      };
      found.push(...(page[listKey] as { id: string }[]).map(({ id }) => id));
      next = page.next_page_uri ?? null;
    }
    idsOf[path] = found;
  }
  return { ...empty, idsOf };
}
