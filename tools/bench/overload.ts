import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "../../tests/support/postgres";
import { LoadGenerator } from "./load";
import type { LoadJob, LoadResult } from "./load/job";
import { besideProjects, COLUMNS, NOTE, TITLE } from "./projects";
import { medianBy, type Row, ratio, type Section } from "./report/section";
import { CONNECTIONS, type Contender, startServers } from "./server/contender";
import { jobOf, type OperationName } from "./server/subject";
import { amount, type Settings } from "./settings";

/** The goal for accepted requests of clients that wait: their p99, compared with the p99 without a crowd. */
const P99 = 3;
const MEASURED: readonly OperationName[] = ["get", "list 100", "create", "patch", "mix 60/10/15/15"];
/** How refused clients go on. */
const MANNERS = ["wait for Retry-After", "repeat at once"] as const;
type Manners = NonNullable<LoadJob["refused"]>;

/** Measures requests while ten times as many clients as usual come, and right after they have gone. */
export async function measureOverload(settings: Settings): Promise<Section[]> {
  const generator = new LoadGenerator();
  const postgres = await PostgresServer.start({ durable: true });
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-bench-"));
  try {
    const rows: Row[] = [];
    const beside: Row[] = [];
    for (const [database, data] of [
      ["SQLite", folder] as const,
      ["PostgreSQL", await postgres.newDatabase()] as const,
    ]) {
      const server = await startServers(data, 1, generator);
      try {
        for (const operation of MEASURED)
          rows.push(...(await crowded(database, server, operation, settings, generator)));
      } finally {
        await server.stop();
      }
    }
    for (const [database, data] of [
      ["SQLite", join(folder, "projects")],
      ["PostgreSQL", await postgres.newDatabase()],
    ] as const)
      beside.push(...(await besideProjects(database, data, settings)));
    return [
      {
        part: "overload",
        title: "Ten times as many clients",
        note: `${amount(10 * CONNECTIONS)} connections after ${CONNECTIONS}, one request at a time on each, one server with its usual limits; median of ${settings.rounds} rounds of ${settings.seconds} s. Refused clients wait as long as Retry-After says, as our client does, or repeat at once, as no client should. Then the crowd goes, and ${CONNECTIONS} new connections come. The server, its database and the crowd share the machine.`,
        columns: {
          database: "",
          operation: "",
          clients: "refused clients",
          usual: "usual requests/s",
          usualP99: "usual p99 ms",
          accepted: "accepted/s",
          refused: "refused/s",
          p99: "p99 ms of accepted",
          slowest: "× usual",
          goal: "goal",
          reached: "",
          refusedP99: "p99 ms of refused",
          first: "then first answer after ms",
          afterP99: "and p99 ms",
          errors: "errors",
        },
        rows,
      },
      { part: "overload", title: TITLE, note: NOTE, columns: COLUMNS, rows: beside },
    ];
  } finally {
    generator.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Round {
  readonly usual: LoadResult;
  readonly crowd: LoadResult;
  readonly after: LoadResult;
}

async function crowded(
  database: string,
  server: Contender,
  operation: OperationName,
  { rounds, warmUp, seconds }: Settings,
  generator: LoadGenerator,
): Promise<Row[]> {
  const crowded = amount(10 * CONNECTIONS);
  const load = { ...server, ...jobOf(server, operation), warmUp, seconds };
  const measured: Record<Manners, Round[]> = { "wait for Retry-After": [], "repeat at once": [] };
  for (let round = 0; round < rounds; round++) {
    for (const refused of MANNERS) {
      const usual = await generator.run({ ...load, connections: CONNECTIONS });
      const crowd = await generator.run({ ...load, connections: crowded, refused });
      const after = await generator.run({ ...load, connections: CONNECTIONS, warmUp: 0 });
      measured[refused].push({ usual, crowd, after });
    }
  }
  return MANNERS.map((clients) => {
    const slowdown = ({ usual, crowd }: Round) => crowd.p99 / usual.p99;
    const { usual, crowd, after } = medianBy(measured[clients], slowdown);
    const slowest = ratio(crowd.p99, usual.p99);
    return {
      database,
      operation,
      clients,
      usual: usual.perSecond,
      usualP99: usual.p99,
      accepted: crowd.perSecond,
      refused: crowd.refusedPerSecond,
      p99: crowd.p99,
      slowest,
      ...(clients === "wait for Retry-After"
        ? { goal: `≤ ${P99}`, reached: slowest !== null && slowest <= P99 }
        : { goal: null, reached: null }),
      refusedP99: crowd.refusedP99,
      first: after.first,
      afterP99: after.p99,
      errors: measured[clients].reduce(
        (sum, round) => sum + round.usual.errors + round.crowd.errors + round.after.errors,
        0,
      ),
    };
  });
}
