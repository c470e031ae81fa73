import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "../../../tests/support/postgres";
import { LoadGenerator } from "../load";
import { type Row, ratio, type Section } from "../report/section";
import { amount, type Settings } from "../settings";
import { CONNECTIONS, type Contender, cliIn, Running, startServers } from "./contender";
import { OPERATIONS } from "./subject";
import { COLUMNS, inTurn } from "./turns";

/** The bounds of an account; `default` is one of its projects. */
const PROJECTS = 1000;
const MEMBERSHIPS = 10_000;
/** Many short rounds scatter less than a few long ones; they take as long together. */
const SHORTER = 4;
/** Of the requests per second of the other build. */
const GOAL = 0.95;

/**
 * Measures reading and writing in an account with many projects and memberships, beside another build whose
 * account has one project. Nothing without another build.
 */
export async function measureTeams(settings: Settings): Promise<Section[]> {
  if (settings.beside === undefined) return [];
  const generator = new LoadGenerator();
  try {
    return [await besides(settings, settings.beside, generator)];
  } finally {
    generator.stop();
  }
}

/** @param folder of the clone with the other build */
async function besides(settings: Settings, folder: string, generator: LoadGenerator): Promise<Section> {
  const postgres = await PostgresServer.start({ durable: true });
  const place = mkdtempSync(join(tmpdir(), "tunnelplane-bench-"));
  const places = {
    SQLite: async (name: string) => join(place, name),
    PostgreSQL: async (_name: string) => postgres.newDatabase(),
  };
  const short = {
    ...settings,
    rounds: settings.rounds * SHORTER,
    seconds: settings.seconds / SHORTER,
    warmUp: settings.warmUp / SHORTER,
  };
  const rows: Row[] = [];
  try {
    for (const [database, placeOf] of Object.entries(places)) {
      const running = new Running();
      try {
        const teams = await running.add(startServers(await placeOf("teams"), 1, generator));
        await makeTeams(teams);
        const other = await running.add(
          startServers(await placeOf("other"), 1, generator, { cli: cliIn(folder) }),
        );
        const load = { operations: OPERATIONS, connections: CONNECTIONS };
        const results = await inTurn({ other, teams }, short, generator, load);
        for (const operation of OPERATIONS) {
          const [before, now] = [results.other[operation], results.teams[operation]];
          const speed = ratio(now.perSecond, before.perSecond);
          const reached = speed !== null && speed >= GOAL;
          rows.push({ database, operation, of: "the other build", ...before });
          rows.push({ database, operation, of: "teams", ...now, speed, goal: `≥ ${GOAL}`, reached });
        }
      } finally {
        await running.stop();
      }
    }
  } finally {
    await postgres.stop();
    rmSync(place, { recursive: true, force: true });
  }
  return {
    part: "teams",
    title: "An account with many projects and memberships",
    note: `One process, ${CONNECTIONS} connections; the account has ${amount(PROJECTS)} projects and some ${amount(MEMBERSHIPS)} memberships of groups, and the measured objects are in one project. The other build has one project; both take turns, median of ${short.rounds} rounds of ${short.seconds} s.`,
    columns: {
      database: "",
      ...COLUMNS,
      speed: "× other build",
      goal: "goal",
      reached: "",
    },
    rows,
  };
}

/** Makes as many projects and memberships as an account may have. */
async function makeTeams({ urls, headers }: Contender): Promise<void> {
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(`${urls[0]}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const made = (await answer.json()) as { readonly id: string; readonly msg?: string };
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${made.msg}`);
    return made.id;
  };
  const each = Math.ceil(amount(MEMBERSHIPS) / amount(PROJECTS));
  let next = 0;
  const work = async () => {
    for (let index = next++; index < amount(PROJECTS) - 1; index = next++) {
      const project = await post("/projects", { name: `team-${index}` });
      for (let one = 0; one < each; one++)
        await post("/memberships", { project_id: project, role: "member", group: `group-${one}` });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}
