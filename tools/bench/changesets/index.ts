import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Rest, type RestAnswer } from "../../../tests/support/rest";
import { ServerProcess } from "../../../tests/support/server";
import { cpuSeconds } from "../processes";
import { type Costs, measureOurs } from "../provider";
import { PHASES as PHASES_OF_STACKS } from "../provider/phases";
import { medianBy, type Row, ratio, type Section } from "../report/section";
import { amount, type Settings } from "../settings";
import { catalogueOf, objectsOf, pathOf, type SetObject } from "./objects";

const CLI = join(__dirname, "../../../server/dist/cli/main.js");
/**
 * The goal for a whole command of 1,000 creations, its process start and the server included: seconds of
 * processor time.
 */
const COMMAND_GOAL = { objects: 1_000, seconds: 2 };
/** Single requests in flight at once. */
const AT_ONCE = 16;
/** Above this many, single requests take too long to be measured beside. */
const MAX_SINGLE = 1_000;

interface Cost {
  /** Seconds of processor time of the server; of a command, with the command. */
  readonly cpu: number;
  readonly wall: number;
  readonly requests: number;
}

type Phase = "plan" | "create" | "no-op" | "update 10 %" | "delete";
const PHASES: readonly Phase[] = ["plan", "create", "no-op", "update 10 %", "delete"];

/** Measures change sets beside the same changes as single requests, and a whole command, on SQLite. */
export async function measureChangeSets({ sets, rounds }: Settings): Promise<Section[]> {
  const rows: Row[] = [];
  for (const count of sets) {
    const measured: { set: Record<Phase, Cost>; single?: Partial<Record<Phase, Cost>> }[] = [];
    for (let round = 0; round < rounds; round++) {
      const set = await withServer((server) => asSet(server, objectsOf(count)));
      measured.push({
        set,
        single:
          count > MAX_SINGLE ? undefined : await withServer((server) => asRequests(server, objectsOf(count))),
      });
    }
    for (const phase of PHASES) rows.push({ objects: count, phase, ...rowOf(phase, measured) });
  }
  const { seconds } = COMMAND_GOAL;
  const objects = amount(COMMAND_GOAL.objects);
  const commands: Cost[] = [];
  for (let round = 0; round < rounds; round++)
    commands.push(await withServer((server) => asCommand(server, objects)));
  const command = medianBy(commands, ({ cpu }) => cpu);
  rows.push({
    objects,
    phase: "create, whole command",
    ...command,
    goal: `≤ ${seconds} s CPU`,
    reached: command.cpu <= seconds,
  });
  return [
    {
      part: "changesets",
      title: "Change sets",
      note: `Backends, edges, policies and rules that refer to each other, on SQLite; processor time of the server, medians of ${rounds} rounds. Single requests: ${AT_ONCE} at once, at most ${MAX_SINGLE} objects. A plan is a dry run of the creation; a no-op sends what is there. The command is \`tunnelplane apply\`, from its start to its end, with the server's processor time.`,
      columns: {
        objects: "objects",
        phase: "",
        requests: "requests",
        cpu: "CPU s",
        wall: "wall s",
        singleRequests: "single: requests",
        singleCpu: "CPU s",
        singleWall: "wall s",
        cpuRatio: "single / set, CPU",
        goal: "goal",
        reached: "",
      },
      rows,
    },
    await besideOthers(Math.max(...sets), rounds),
    await asStacks(rounds),
  ];
}

/** The goal for the longest wait of others on SQLite, in milliseconds. */
const WAIT_GOAL = 250;
/** Between two requests of the others. */
const PAUSE_MS = 5;

/** Measures how long others wait while a set is created. */
async function besideOthers(count: number, rounds: number): Promise<Section> {
  const waits: { read: number; write: number; quietRead: number; quietWrite: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    waits.push(
      await withServer(async (server) => {
        const rest = new Rest(server.url, server.apiKey);
        const quiet = await longestWaits(rest, sleep(amount(2000)));
        const busy = await longestWaits(rest, asSet(server, objectsOf(count), ["create"]));
        return { ...busy, quietRead: quiet.read, quietWrite: quiet.write };
      }),
    );
  }
  const row = (what: string, key: "read" | "write", quiet: "quietRead" | "quietWrite"): Row => {
    const wait = medianBy(waits, (one) => one[key])[key];
    return {
      what,
      wait,
      quiet: medianBy(waits, (one) => one[quiet])[quiet],
      goal: `≤ ${WAIT_GOAL}`,
      reached: wait <= WAIT_GOAL,
    };
  };
  return {
    part: "changesets",
    title: `Others, while a change set of ${count} objects is created`,
    note: `One client that reads and writes by turns, every ${PAUSE_MS} ms, on SQLite; the longest wait for an answer, the median of ${rounds} rounds.`,
    columns: { what: "", wait: "longest wait ms", quiet: "without a set", goal: "goal", reached: "" },
    rows: [row("read", "read", "quietRead"), row("write", "write", "quietWrite")],
  };
}

async function longestWaits(rest: Rest, until: Promise<unknown>): Promise<{ read: number; write: number }> {
  const longest = { read: 0, write: 0 };
  let isDone = false;
  const done = until.finally(() => {
    isDone = true;
  });
  const timed = async (what: "read" | "write", request: Promise<RestAnswer>, status: number) => {
    const begun = performance.now();
    requireStatus(await request, status);
    longest[what] = Math.max(longest[what], performance.now() - begun);
    await sleep(PAUSE_MS);
  };
  while (!isDone) {
    await timed("read", rest.get("/caller"), 200);
    await timed("write", rest.post("/ip_policies", {}), 201);
  }
  await done;
  return longest;
}

/** The goal for an `up` of a set of 1,000 objects, compared with an `up` of one resource. */
const STACK_GOAL = 1.5;

async function asStacks(rounds: number): Promise<Section> {
  const [one, set]: [Costs[], Costs[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    one.push(await measureOurs(1));
    set.push(await measureOurs(amount(COMMAND_GOAL.objects), "set"));
  }
  return {
    part: "changesets",
    title: `A stack of one \`CatalogueSet\` with ${amount(COMMAND_GOAL.objects)} objects`,
    note: `Beside a stack of one IP policy; medians of ${rounds} rounds. Processor time is that of program, engine and plugins.`,
    columns: {
      phase: "",
      requests: "requests",
      cpu: "CPU s",
      cpuOne: "one resource",
      cpuRatio: "×",
      goal: "goal",
      reached: "",
      wall: "wall s",
      wallOne: "one resource",
      wallRatio: "×",
      state: "state KiB",
    },
    rows: PHASES_OF_STACKS.map((phase): Row => {
      const [many, single] = [set, one].map(
        (rounds) => medianBy(rounds, (costs) => costs[phase].cpu ?? 0)[phase],
      );
      const isUp = phase === "create" || phase === "update all";
      const cpuRatio = ratio(many?.cpu, single?.cpu);
      return {
        phase,
        requests: many?.requests ?? null,
        cpu: many?.cpu ?? null,
        cpuOne: single?.cpu ?? null,
        cpuRatio,
        goal: isUp ? `≤ ${STACK_GOAL}` : null,
        reached: isUp && cpuRatio !== null ? cpuRatio <= STACK_GOAL : null,
        wall: many?.wall ?? null,
        wallOne: single?.wall ?? null,
        wallRatio: ratio(many?.wall, single?.wall),
        state: many ? many.state / 1024 : null,
      };
    }),
  };
}

function rowOf(
  phase: Phase,
  measured: readonly { set: Record<Phase, Cost>; single?: Partial<Record<Phase, Cost>> }[],
): Row {
  const set = medianBy(
    measured.map((round) => round.set[phase]),
    ({ cpu }) => cpu,
  );
  const singles = measured.flatMap((round) => round.single?.[phase] ?? []);
  const single = singles.length > 0 ? medianBy(singles, ({ cpu }) => cpu) : undefined;
  return {
    ...set,
    singleRequests: single?.requests ?? null,
    singleCpu: single?.cpu ?? null,
    singleWall: single?.wall ?? null,
    cpuRatio: ratio(single?.cpu, set.cpu),
    goal: null,
    reached: null,
  };
}

async function withServer<T>(measure: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await ServerProcess.start({ keepLog: false });
  try {
    await new Rest(server.url, server.apiKey).get("/caller");
    return await measure(server);
  } finally {
    await server.stop();
  }
}

async function costOf(server: ServerProcess, requests: number, run: () => Promise<unknown>): Promise<Cost> {
  const [cpu, begun] = [cpuSeconds([server.pid]) ?? 0, performance.now()];
  await run();
  return { requests, wall: (performance.now() - begun) / 1000, cpu: (cpuSeconds([server.pid]) ?? 0) - cpu };
}

async function asSet(
  server: ServerProcess,
  objects: readonly SetObject[],
  phases = PHASES,
): Promise<Record<Phase, Cost>> {
  const rest = new Rest(server.url, server.apiKey);
  const send = (body: object, query = "") =>
    costOf(server, 1, async () =>
      requireStatus(await rest.post(`/changesets${query}`, { set: "bench", ...body }), 200),
    );
  const changed = objects.map((one, index) =>
    index % 10 === 0 ? { ...one, fields: { ...one.fields, metadata: "changed" } } : one,
  );
  const run: Record<Phase, () => Promise<Cost>> = {
    plan: () => send({ objects }, "?dry_run=true"),
    create: () => send({ objects }),
    "no-op": () => send({ objects }),
    "update 10 %": () => send({ objects: changed }),
    delete: () => send({ mode: "own", max_deletes: objects.length, objects: [] }),
  };
  const costs = {} as Record<Phase, Cost>;
  for (const phase of phases) costs[phase] = await run[phase]();
  return costs;
}

/** The same changes as requests of their own: those that others refer to first, in waves of some at once. */
async function asRequests(
  server: ServerProcess,
  objects: readonly SetObject[],
): Promise<Partial<Record<Phase, Cost>>> {
  const rest = new Rest(server.url, server.apiKey);
  const ids = new Map<string, string>();
  const nameOf = ({ kind, key }: SetObject) => `${kind}/${key}`;
  const idOf = (object: SetObject) => ids.get(nameOf(object)) as string;
  const waves = [...new Set(objects.map(({ kind }) => kind))].map((kind) =>
    objects.filter((object) => object.kind === kind),
  );
  const inWaves = async (
    order: readonly (readonly SetObject[])[],
    work: (object: SetObject) => Promise<void>,
  ) => {
    for (const wave of order) {
      const left = [...wave];
      const worker = async () => {
        for (let object = left.pop(); object; object = left.pop()) await work(object);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    }
  };
  const filled = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if ("$key" in value) return ids.get(value.$key as string);
    if (Array.isArray(value)) return value.map(filled);
    const nameIn = (name: string) => (name.startsWith("$key:") ? (ids.get(name.slice(5)) as string) : name);
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [nameIn(name), filled(item)]));
  };
  const create = async (object: SetObject) => {
    const answer = requireStatus(await rest.post(pathOf(object.kind), filled(object.fields)), 201);
    ids.set(nameOf(object), answer.body.id);
  };
  const change = async (object: SetObject) =>
    void requireStatus(
      await rest.patch(`${pathOf(object.kind)}/${idOf(object)}`, { metadata: "changed" }),
      200,
    );
  const remove = async (object: SetObject) =>
    void requireStatus(await rest.delete(`${pathOf(object.kind)}/${idOf(object)}`), 204);
  const tenth = objects.filter((_, index) => index % 10 === 0);
  return {
    create: await costOf(server, objects.length, () => inWaves(waves, create)),
    "no-op": await costOf(server, objects.length, () =>
      inWaves(
        [objects],
        async (object) => void requireStatus(await rest.get(`${pathOf(object.kind)}/${idOf(object)}`), 200),
      ),
    ),
    "update 10 %": await costOf(server, tenth.length, () => inWaves([tenth], change)),
    delete: await costOf(server, objects.length, () => inWaves(waves.toReversed(), remove)),
  };
}

async function asCommand(server: ServerProcess, count: number): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-bench-"));
  const file = join(folder, "catalogue.yaml");
  writeFileSync(file, catalogueOf(count));
  const before = cpuSeconds(["self"]) ?? 0;
  const own = process.cpuUsage();
  try {
    const cost = await costOf(server, 1, async () => {
      const args = [
        "--disable-warning=ExperimentalWarning",
        CLI,
        "apply",
        file,
        "--set",
        "bench",
        "--url",
        server.url,
      ];
      const child: ChildProcess = spawn(process.execPath, args, {
        env: { ...process.env, TUNNELPLANE_API_KEY: server.apiKey },
        stdio: ["ignore", "ignore", "inherit"],
      });
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`tunnelplane apply ended with ${code}`);
    });
    // Of this process and its ended children, less its own.
    const { user, system } = process.cpuUsage(own);
    const command = (cpuSeconds(["self"]) ?? 0) - before - (user + system) / 1e6;
    return { ...cost, cpu: cost.cpu + Math.max(command, 0) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function requireStatus(answer: RestAnswer, status: number): RestAnswer {
  if (answer.status !== status)
    throw new Error(`The server answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer;
}
