import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Rest } from "../../../tests/support/rest";
import { ServerProcess } from "../../../tests/support/server";
import { LoadGenerator } from "../load";
import type { LoadJob, LoadResult } from "../load/job";
import { type Row, ratio, type Section } from "../report/section";
import { CONNECTIONS } from "../server/contender";
import { edge } from "../server/subject";
import { amount, type Settings } from "../settings";
import { copyObject } from "./fill";

/** The goals for any number of objects, compared with 1,000. */
const FLAT: Readonly<Record<string, number>> = { get: 0.95, "first page": 0.9 };
const MANY = 1000;
/** How many objects may be deleted at each size. */
const DOOMED = 1500;
const SAMPLE = 997;

/** The measured objects: those of one type that grow in number, and a few large ones. */
interface World {
  readonly backend: string;
  /** An edge that is copied. */
  readonly template: string;
  /** An HTTPS edge with 1,000 routes. */
  readonly parent: string;
  /** A TLS edge that 1,000 IP policies restrict. */
  readonly restricted: string;
}

/** Measures whether the time of operations depends on the number of objects, on SQLite. */
export async function measureGrowth({ sizes, warmUp, seconds }: Settings): Promise<Section[]> {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-growth-"));
  const generator = new LoadGenerator();
  const rows: Row[] = [];
  const first = new Map<string, LoadResult>();
  try {
    const world = await build(folder);
    let filled = 0;
    let named = 0;
    for (const size of sizes) {
      const grow = (count: number) => {
        const ids = copyObject(
          folder,
          { id: world.template, text: (n) => `copy-${n}.example.com` },
          count,
          named + 1,
        );
        named += count;
        return ids;
      };
      const ids = grow(size - filled);
      filled = size;
      const doomed = grow(amount(DOOMED));
      const server = await ServerProcess.start({ data: folder, keepLog: false });
      try {
        const load = {
          urls: [server.url],
          pids: [server.pid],
          headers: headersOf(server),
          connections: CONNECTIONS,
          warmUp,
          seconds,
        };
        for (const [operation, job] of Object.entries(jobs(world, sample(ids), doomed))) {
          const result = await generator.run({ ...load, ...job });
          if (!first.has(operation)) first.set(operation, result);
          const flat = ratio(result.perSecond, first.get(operation)?.perSecond);
          const flatCpu = ratio(result.cpu, first.get(operation)?.cpu);
          const goal = FLAT[operation];
          rows.push({
            operation,
            size,
            ...result,
            flat,
            flatCpu,
            goal: goal === undefined ? null : `≥ ${goal}`,
            reached: goal === undefined || flat === null ? null : flat >= goal,
          });
        }
      } finally {
        await server.stop();
      }
    }
  } finally {
    generator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return [
    {
      part: "growth",
      title: "Growth",
      note: `TLS edges on SQLite, copied in the database itself; ${CONNECTIONS} connections, one for the refused deletion, whose error names five of the edges. The edge with ${amount(MANY)} policies and the parent of ${amount(MANY)} routes are the same at every size.`,
      columns: {
        operation: "",
        size: "edges",
        perSecond: "requests/s",
        p50: "p50 ms",
        p99: "p99 ms",
        cpu: "CPU µs/request",
        errors: "errors",
        flat: "requests × smallest",
        flatCpu: "CPU × smallest",
        goal: "goal",
        reached: "",
      },
      rows: rows.sort(
        (a, b) =>
          [...first.keys()].indexOf(a.operation as string) - [...first.keys()].indexOf(b.operation as string),
      ),
    },
  ];
}

function jobs(
  { backend, parent, restricted }: World,
  ids: string[],
  doomed: string[],
): Record<string, Partial<LoadJob> & Pick<LoadJob, "shots">> {
  const get = (path: string): Pick<LoadJob, "shots" | "ids"> => ({ shots: [{ method: "GET", path }], ids });
  return {
    get: get("/edges/tls/{id}"),
    "first page": get("/edges/tls"),
    "page deep in the list": get("/edges/tls?before_id={id}"),
    "page of a parent's children": get(`/edges/https/${parent}/routes`),
    create: { shots: [{ method: "POST", path: "/edges/tls", body: edge(backend) }] },
    delete: {
      shots: [{ method: "DELETE", path: "/edges/tls/{id}" }],
      ids: doomed,
      warmUp: 0,
      amount: DOOMED - CONNECTIONS,
    },
    "delete, refused: all edges use it": {
      shots: [{ method: "DELETE", path: `/backends/tunnel_group/${backend}` }],
      connections: 1,
      warmUp: 0,
      amount: 5,
      expected: 4,
    },
    "get an edge with 1,000 policies": get(`/edges/tls/${restricted}`),
    "patch an edge with 1,000 policies": {
      shots: [
        {
          method: "PATCH",
          path: `/edges/tls/${restricted}`,
          body: JSON.stringify({ description: "changed {n}" }),
        },
      ],
    },
  };
}

/** Creates the first objects through the API, and copies those that have to be many. */
async function build(folder: string): Promise<World> {
  const server = await ServerProcess.start({ data: folder, keepLog: false });
  const rest = new Rest(server.url, server.apiKey);
  const create = async (path: string, body: unknown): Promise<string> => {
    const { status, text, body: made } = await rest.post(path, body);
    if (status !== 201) throw new Error(`POST ${path} answered ${text}`);
    return made.id;
  };
  let world: World;
  try {
    const backend = await create("/backends/tunnel_group", { labels: { service: "web" } });
    const template = await create("/edges/tls", {
      ...JSON.parse(edge(backend)),
      description: "copied",
      hostports: ["copy-0.example.com:443"],
    });
    const policies: string[] = [];
    for (let n = 0; n < amount(MANY); n++)
      policies.push(await create("/ip_policies", { description: `policy ${n}` }));
    const restricted = await create("/edges/tls", {
      hostports: ["restricted.example.com:443"],
      backend: { backend_id: backend },
      ip_restriction: { ip_policy_ids: policies },
    });
    const parent = await create("/edges/https", { hostports: ["parent.example.com:443"] });
    const route = await create(`/edges/https/${parent}/routes`, {
      match_type: "path_prefix",
      match: "/route-0/",
      backend: { backend_id: backend },
    });
    await server.stop();
    copyObject(folder, { id: route, text: (n) => `/route-${n}/` }, amount(MANY) - 1, 1);
    world = { backend, template, parent, restricted };
  } finally {
    await server.stop();
  }
  return world;
}

const headersOf = ({ apiKey }: ServerProcess) => ({
  authorization: `Bearer ${apiKey}`,
  "service-version": "2",
});

/** A sample of the ids, evenly spread. */
function sample(ids: readonly string[]): string[] {
  return Array.from(
    { length: Math.min(SAMPLE, ids.length) },
    (_, index) => ids[Math.floor((index * ids.length) / SAMPLE)] as string,
  );
}
