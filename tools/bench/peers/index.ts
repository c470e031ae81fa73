import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { LoadGenerator } from "../load";
import { type Row, ratio, type Section } from "../report/section";
import { CONNECTIONS, type Contender, Running, startServers } from "../server/contender";
import { CREDENTIAL, OPERATIONS, type OperationName } from "../server/subject";
import { COLUMNS, inTurn, type Result } from "../server/turns";
import type { Settings } from "../settings";
import { startPocketBase } from "./pocketbase";

/** Our requests per second, at least this multiple of PocketBase's. Its p99 is the limit of ours. */
const GOALS: Readonly<Partial<Record<OperationName, number>>> = {
  get: 4,
  "list 100": 5,
  create: 2,
  patch: 2,
  "mix 60/10/15/15": 2.5,
};

/** The other work of each with a request, with its defaults. */
const BESIDES = {
  ours: "events, audit chain, references, idempotency, a sync before each answer",
  pocketBase: "a log of requests; no sync before an answer (synchronous=NORMAL)",
};

/** PocketBase uses all processors by itself. */
const PROCESSES = availableParallelism();

/**
 * Measures our server beside what users would pick in its place: the same objects, connections and machine. The
 * goals are those of a server that uses all processors too.
 */
export async function measurePeers(settings: Settings): Promise<Section[]> {
  const generator = new LoadGenerator();
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-bench-"));
  const running = new Running();
  try {
    const ours = await running.add(startServers(join(folder, "ours"), 1, generator));
    const env = { TUNNELPLANE_PROCESSES: String(PROCESSES) };
    const together = await running.add(startServers(join(folder, "together"), 1, generator, { env }));
    const size = await sizeOf(ours);
    const place = join(folder, "pocketbase");
    const pocketBase = await running.add(
      settings.peers
        ? startPocketBase(place, CREDENTIAL, size, generator)
        : startServers(place, 1, generator),
    );
    const sizes = `${size} and ${await sizeOf(pocketBase)} bytes`;
    const operations = OPERATIONS.filter((operation) => GOALS[operation] !== undefined);
    const results = await inTurn({ pocketBase, ours, together }, settings, generator, {
      operations,
      connections: CONNECTIONS,
    });
    const rows = operations.flatMap((operation): Row[] => {
      const theirs = results.pocketBase[operation];
      const beside = (of: string, mine: Result): Row => ({
        operation,
        of,
        ...mine,
        speed: ratio(mine.perSecond, theirs.perSecond),
        slowest: ratio(mine.p99, theirs.p99),
        besides: BESIDES.ours,
      });
      const row = beside(`tunnelplane, ${PROCESSES} processes`, results.together[operation]);
      const { speed, slowest } = row;
      const goal = GOALS[operation] ?? 0;
      return [
        { operation, of: "PocketBase", ...theirs, besides: BESIDES.pocketBase },
        beside("tunnelplane", results.ours[operation]),
        {
          ...row,
          goal: `≥ ${goal}`,
          reached: typeof speed === "number" && speed >= goal,
          p99Goal: "≤ 1",
          p99Reached: typeof slowest === "number" && slowest <= 1,
        },
      ];
    });
    return [
      {
        part: "peers",
        title: "Beside PocketBase",
        note: `The same object (${sizes} in answers), an API key, ${CONNECTIONS} connections, on SQLite; PocketBase with its defaults, which use all processors, ours with one process as by default and with \`--processes ${PROCESSES}\`; median of ${settings.rounds} rounds of ${settings.seconds} s.`,
        columns: {
          ...COLUMNS,
          speed: "× PocketBase",
          goal: "goal",
          reached: "",
          slowest: "p99 × PocketBase",
          p99Goal: "goal",
          p99Reached: "",
          besides: "does besides",
        },
        rows,
      },
    ];
  } finally {
    await running.stop();
    generator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of one object in an answer, in bytes. */
async function sizeOf({ urls, headers, idsOf, subjects }: Contender): Promise<number> {
  const [{ path }] = subjects;
  const response = await fetch(`${urls[0]}${path}/${idsOf[path]?.[0]}`, { headers });
  return Buffer.byteLength(await response.text());
}
