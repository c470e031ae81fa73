import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "../../../tests/support/postgres";
import { LoadGenerator } from "../load";
import { type Row, ratio, type Section } from "../report/section";
import type { Settings } from "../settings";
import { CONNECTIONS, type Contender, cliIn, Running, startServers } from "./contender";
import { watchDatabase } from "./databaseWatch";
import { FLOORS, type FloorKind, startFloor } from "./floors";
import { SlowProxy } from "./slowProxy";
import { OPERATIONS, SUBJECTS } from "./subject";
import { COLUMNS, inTurn, type Load, type Result, type Results } from "./turns";

/** Measures the server's throughput and latency on each database, compared with floors. */
export async function measureServer(settings: Settings): Promise<Section[]> {
  const generator = new LoadGenerator();
  try {
    return [
      await onSqlite(settings, generator),
      await onPostgres(settings, generator),
      await onPostgres(settings, generator, FAR),
    ];
  } finally {
    generator.stop();
  }
}

async function onSqlite(settings: Settings, generator: LoadGenerator): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-bench-"));
  const running = new Running();
  try {
    const ours = await running.add(startServers(join(folder, "ours"), 1, generator));
    const sizes = await sizesOf(ours);
    const floor = async (kind: FloorKind) =>
      running.add(startFloor(kind, mkdtempSync(join(folder, "floor-")), sizes, generator));
    const cli = settings.beside === undefined ? undefined : cliIn(settings.beside);
    const always = {
      "one by one": await floor("one by one"),
      "group commit": await floor("group commit"),
      ours,
    };
    const contenders: typeof always & { [BESIDE]?: Contender } = always;
    if (cli)
      contenders[BESIDE] = await running.add(startServers(join(folder, "beside"), 1, generator, { cli }));
    const results: Record<keyof typeof always, Results> & { [BESIDE]?: Results } = await inTurn(
      contenders as typeof always,
      settings,
      generator,
      NEAR,
    );
    const rows = OPERATIONS.flatMap((operation): Row[] => {
      const floor = FLOORS[operation];
      const [mine, against] = [results.ours[operation], results[floor][operation]];
      const other = results[BESIDE]?.[operation];
      return [
        ...(other ? [{ operation, of: BESIDE, ...other }] : []),
        { operation, of: "floor, a commit each", ...results["one by one"][operation] },
        { operation, of: "floor, group commit", ...results["group commit"][operation] },
        {
          operation,
          of: "tunnelplane",
          ...mine,
          faster: other ? ratio(mine.perSecond, other.perSecond) : null,
          floor,
          speed: ratio(mine.perSecond, against.perSecond),
          slowest: ratio(mine.p99, against.p99),
        },
      ];
    });
    return {
      part: "server",
      title: "The server on SQLite",
      note: `Credentials of ${sizes[0]} bytes, modules of TLS edges of ${sizes[1]} bytes, ${CONNECTIONS} connections, \`synchronous=FULL\`, median of ${settings.rounds} rounds of ${settings.seconds} s. The floors are raw node:http and node:sqlite that store and answer as many bytes and do nothing else.`,
      columns: {
        ...COLUMNS,
        ...(cli && { faster: "× other build" }),
        floor: "compared with",
        speed: "× floor",
        slowest: "p99 × floor",
      },
      rows,
    };
  } finally {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How a set of servers is measured on PostgreSQL. */
interface PostgresLoad extends Load {
  /** The delay that a proxy between the processes and the database adds each way, in milliseconds. */
  readonly latency: number;
}

const NEAR: PostgresLoad = { operations: OPERATIONS, connections: CONNECTIONS, latency: 0 };
const FAR: PostgresLoad = { operations: ["create", "patch", "put a module"], connections: 64, latency: 1 };

async function onPostgres(settings: Settings, generator: LoadGenerator, load = NEAR): Promise<Section> {
  const postgres = await PostgresServer.start({ durable: true });
  const { operations, latency } = load;
  const running = new Running();
  const proxies: SlowProxy[] = [];
  const databases: Record<string, string> = {};
  const newDatabase = async (of: string) => {
    const url = await postgres.newDatabase();
    databases[of] = url;
    if (latency === 0) return url;
    proxies.push(await SlowProxy.start(url, latency));
    return proxies.at(-1)?.url ?? url;
  };
  try {
    const contenders: Record<string, Contender> = {};
    let sizes: readonly number[] = [];
    const start = async (of: string, count: number, cli?: string) => {
      const contender = await running.add(startServers(await newDatabase(of), count, generator, { cli }));
      contenders[of] = contender;
      if (sizes.length === 0) sizes = await sizesOf(contender);
    };
    for (const count of settings.servers)
      await start(`tunnelplane, ${count} ${count === 1 ? "process" : "processes"}`, count);
    if (settings.beside !== undefined) await start(BESIDE, 1, cliIn(settings.beside));
    const floor = await running.add(startFloor("postgres", await newDatabase("floor"), sizes, generator));
    const watch = (of: string) => watchDatabase(postgres, databases[of] ?? "");
    const results = await inTurn({ floor, ...contenders }, settings, generator, load, watch);
    const { floor: against, ...ours } = results as Record<string, Results> & { floor: Results };
    const [one] = Object.values(ours);
    const rows = operations.flatMap((operation): Row[] => [
      { operation, of: "floor", ...against[operation], database: perRequest(against[operation]) },
      ...Object.entries(ours).map(([of, results], index) => {
        const result = results[operation];
        const speed = ratio(result.perSecond, against[operation].perSecond);
        const scaling = ratio(result.perSecond, one?.[operation].perSecond);
        const database = perRequest(result);
        const faster = of === BESIDE ? null : ratio(result.perSecond, ours[BESIDE]?.[operation].perSecond);
        return {
          operation,
          of,
          ...result,
          database,
          speed,
          scaling,
          faster,
          ...(latency > 0 && operation === "create" && settings.servers[index] === 1 && farGoal(result)),
        };
      }),
    ]);
    return {
      part: "server",
      title:
        latency === 0 ? "The server on PostgreSQL" : `The server on PostgreSQL, ${latency} ms away each way`,
      note:
        latency > 0
          ? `The same behind a proxy that adds ${latency} ms each way, with ${load.connections} connections.`
          : `The same, on PostgreSQL 18 with its defaults (fsync on), on the same machine. The floor is raw node:http and pg with prepared statements, one process. Connections are shared out evenly among the processes.`,
      columns: {
        ...COLUMNS,
        database: "PostgreSQL's CPU µs/request",
        waiting: "sessions that wait",
        speed: "× floor",
        scaling: "× one process",
        ...(settings.beside !== undefined && { faster: "× other build" }),
        ...(latency > 0 && { goal: "goal", reached: "" }),
      },
      rows,
    };
  } finally {
    await running.stop();
    for (const proxy of proxies) proxy.stop();
    await postgres.stop();
  }
}

const BESIDE = "the other build, 1 process";

/** PostgreSQL's processor time, in microseconds. */
const perRequest = ({ seconds, sent }: Result): number | null =>
  seconds === undefined ? null : (seconds / sent) * 1e6;

/** The goal for p99 of creations on a PostgreSQL server that is 1 ms away each way, in milliseconds. */
const FAR_P99_MS = 100;

const farGoal = ({ p99 }: Result): Row => ({ goal: `p99 ≤ ${FAR_P99_MS} ms`, reached: p99 <= FAR_P99_MS });

/** The sizes of the measured objects in answers, in the order of SUBJECTS. */
const sizesOf = ({ urls, headers, idsOf }: Contender): Promise<number[]> =>
  Promise.all(
    SUBJECTS.map(async ({ path }) => {
      const response = await fetch(`${urls[0]}${path}/${idsOf[path]?.[0]}`, { headers });
      return (await response.text()).length;
    }),
  );
