import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "../../tests/support/postgres";
import { LoadGenerator } from "../load";
import type { LoadResult } from "../load/job";
import { medianBy, type Row, ratio, type Section } from "../report/section";
import type { Settings } from "../settings";
import { CONNECTIONS, type Contender, startServers } from "./contender";
import { type FloorKind, startFloor } from "./floors";
import { GOALS, P99 } from "./goals";
import { SlowProxy } from "./slowProxy";
import { OPERATIONS, type OperationName, shotsOf } from "./subject";

type Results = Record<OperationName, LoadResult>;

const COLUMNS = { operation: "", of: "", perSecond: "requests/s", p50: "p50 ms", p99: "p99 ms", cpu: "CPU µs/request", errors: "errors" };

/** Measures the server's throughput and latency on each database, compared with floors. */
export async function measureServer(settings: Settings): Promise<Section[]> {
  const generator = new LoadGenerator();
  try {
    return [await onSqlite(settings, generator), await onPostgres(settings, generator), await onPostgres(settings, generator, FAR)];
  } finally {
    generator.stop();
  }
}

async function onSqlite(settings: Settings, generator: LoadGenerator): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-bench-"));
  const stops: Contender[] = [];
  const started = async (contender: Promise<Contender>) => {
    stops.push(await contender);
    return contender;
  };
  try {
    const ours = await started(startServers(join(folder, "ours"), 1, generator));
    const bytes = await sizeOf(ours);
    const floor = async (kind: FloorKind) => started(startFloor(kind, mkdtempSync(join(folder, "floor-")), bytes, generator));
    const contenders = { "one by one": await floor("one by one"), "group commit": await floor("group commit"), ours };
    const results = await inTurn(contenders, settings, generator);
    const rows = OPERATIONS.flatMap((operation): Row[] => {
      const goal = GOALS[operation];
      const [mine, against] = [results.ours[operation], results[goal.floor][operation]];
      const [speed, slowest] = [ratio(mine.perSecond, against.perSecond), ratio(mine.p99, against.p99)];
      return [
        { operation, of: "floor, a commit each", ...results["one by one"][operation] },
        { operation, of: "floor, group commit", ...results["group commit"][operation] },
        {
          operation,
          of: "tunnelplane",
          ...mine,
          floor: goal.floor,
          speed,
          goal: `≥ ${goal.perSecond}`,
          reached: speed !== null && speed >= goal.perSecond,
          slowest,
          p99Goal: `≤ ${P99}`,
          p99Reached: slowest !== null && slowest <= P99,
        },
      ];
    });
    return {
      part: "server",
      title: "The server on SQLite",
      note: `TLS edges of ${bytes} bytes, ${CONNECTIONS} connections, \`synchronous=FULL\`, median of ${settings.rounds} rounds of ${settings.seconds} s. The floors are raw node:http and node:sqlite that store and answer as many bytes and do nothing else.`,
      columns: {
        ...COLUMNS,
        floor: "compared with",
        speed: "× floor",
        goal: "goal",
        reached: "",
        slowest: "p99 × floor",
        p99Goal: "goal",
        p99Reached: "",
      },
      rows,
    };
  } finally {
    await Promise.all(stops.map((contender) => contender.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How a set of servers is measured on PostgreSQL. */
interface PostgresLoad {
  readonly operations: readonly OperationName[];
  readonly connections: number;
  /** The delay that a proxy between the processes and the database adds each way, in milliseconds. */
  readonly latency: number;
}

const NEAR: PostgresLoad = { operations: OPERATIONS, connections: CONNECTIONS, latency: 0 };
const FAR: PostgresLoad = { operations: ["create", "patch", "put a module"], connections: 64, latency: 1 };

async function onPostgres(settings: Settings, generator: LoadGenerator, load = NEAR): Promise<Section> {
  const postgres = await PostgresServer.start({ durable: true });
  const { operations, latency } = load;
  const stops: Contender[] = [];
  const proxies: SlowProxy[] = [];
  const newDatabase = async () => {
    const url = await postgres.newDatabase();
    if (latency === 0) return url;
    proxies.push(await SlowProxy.start(url, latency));
    return proxies.at(-1)?.url ?? url;
  };
  try {
    const contenders: Record<string, Contender> = {};
    let bytes = 0;
    for (const count of settings.servers) {
      const contender = await startServers(await newDatabase(), count, generator);
      stops.push(contender);
      contenders[`tunnelplane, ${count} ${count === 1 ? "process" : "processes"}`] = contender;
      bytes ||= await sizeOf(contender);
    }
    const floor = await startFloor("postgres", await newDatabase(), bytes, generator);
    stops.push(floor);
    const results = await inTurn({ floor, ...contenders }, settings, generator, load);
    const { floor: against, ...ours } = results as Record<string, Results> & { floor: Results };
    const [one] = Object.values(ours);
    const rows = operations.flatMap((operation): Row[] => [
      { operation, of: "floor", ...against[operation] },
      ...Object.entries(ours).map(([of, result]) => ({
        operation,
        of,
        ...result[operation],
        speed: ratio(result[operation].perSecond, against[operation].perSecond),
        scaling: ratio(result[operation].perSecond, one?.[operation].perSecond),
      })),
    ]);
    return {
      part: "server",
      title: latency === 0 ? "The server on PostgreSQL" : `The server on PostgreSQL, ${latency} ms away each way`,
      note:
        latency > 0
          ? `The same behind a proxy that adds ${latency} ms each way, with ${load.connections} connections.`
          : `The same, on PostgreSQL 18 with its defaults (fsync on), on the same machine. The floor is raw node:http and pg with prepared statements, one process. Connections are shared out evenly among the processes.`,
      columns: { ...COLUMNS, speed: "× floor", scaling: "× one process" },
      rows,
    };
  } finally {
    await Promise.all(stops.map((contender) => contender.stop()));
    for (const proxy of proxies) proxy.stop();
    await postgres.stop();
  }
}

/** Contenders alternate, round by round, so that a slow spell of the machine hits all of them. */
async function inTurn<Name extends string>(
  contenders: Record<Name, Contender>,
  { rounds, warmUp, seconds }: Settings,
  generator: LoadGenerator,
  { operations, connections }: Pick<PostgresLoad, "operations" | "connections"> = NEAR,
): Promise<Record<Name, Results>> {
  const names = Object.keys(contenders) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, {}])) as Record<Name, Results>;
  for (const operation of operations) {
    const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, LoadResult[]>;
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        const contender = contenders[name];
        const shots = shotsOf(contender.backendId)[operation];
        measured[name].push(await generator.run({ ...contender, shots, connections, warmUp, seconds }));
      }
    }
    for (const name of names) {
      const errors = measured[name].reduce((sum, result) => sum + result.errors, 0);
      results[name][operation] = { ...medianBy(measured[name], (result) => result.perSecond), errors };
    }
  }
  return results;
}

/** The size of one of the objects in an answer. */
async function sizeOf({ urls, headers, ids }: Contender): Promise<number> {
  const response = await fetch(`${urls[0]}/edges/tls/${ids[0]}`, { headers });
  return (await response.text()).length;
}
