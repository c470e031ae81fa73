import { Rest } from "../../tests/support/rest";
import { ServerProcess } from "../../tests/support/server";
import type { LoadGenerator } from "../load";
import { edge, shotsOf } from "./subject";

/** An odd number, so that two requests that alternate both reach every object; see `shotsOf`. */
const OBJECTS = 997;
export const CONNECTIONS = 16;

/** One side of a comparison: one or more processes that answer the same requests. */
export interface Contender {
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
  readonly backendId: string;
  readonly ids: readonly string[];
  stop(): Promise<void>;
}

/** Starts several of our servers on one database, a folder or a URL, and fills it. They log at their usual level, to nowhere. */
export async function startServers(
  data: string,
  count: number,
  generator: LoadGenerator,
  env?: Record<string, string>,
): Promise<Contender> {
  const servers: ServerProcess[] = [];
  for (let index = 0; index < count; index++) servers.push(await ServerProcess.start({ data, env, keepLog: false }));
  const [first] = servers as [ServerProcess, ...ServerProcess[]];
  const contender = {
    urls: servers.map(({ url }) => url),
    pids: servers.map(({ pid }) => pid),
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
export async function fill(empty: Omit<Contender, "ids">, generator: LoadGenerator): Promise<Contender> {
  const create = { ...shotsOf(empty.backendId).create[0], method: "POST", path: "/edges/tls", body: edge(empty.backendId) } as const;
  const { errors } = await generator.run({ ...empty, shots: [create], connections: CONNECTIONS, warmUp: 0, seconds: 0, amount: OBJECTS });
  if (errors > 0) throw new Error(`${errors} of ${OBJECTS} objects could not be created on ${empty.urls}`);
  const ids: string[] = [];
  for (let path: string | null = "/edges/tls"; path !== null; ) {
    const response = await fetch(path.startsWith("http") ? path : empty.urls[0] + path, { headers: empty.headers });
    const page = (await response.json()) as { tls_edges: { id: string }[]; next_page_uri: string | null };
    ids.push(...page.tls_edges.map(({ id }) => id));
    path = page.next_page_uri;
  }
  return { ...empty, ids };
}
