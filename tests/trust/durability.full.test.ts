import { rowsIn, sharedPostgres } from "../support/databases";
import type { Rest, RestAnswer } from "../support/rest";
import { ServerProcess } from "../support/server";
import { figure, LIMIT_MS, size } from "../support/size";
import { canTrace, Strace } from "../support/strace";

const ONE_BY_ONE = size(50, 1_000);
const TOGETHER = 64;
const GROUPS = size(8, 150);

describe("On SQLite: an answer to a write", () => {
  if (!canTrace()) {
    it("skipped: no strace may attach to processes here, which would show when data is on the disk", function () {
      this.skip();
    });
    return;
  }

  let server: ServerProcess;
  let rest: Rest;
  before("start a server", async () => {
    server = await ServerProcess.start();
    rest = server.rest;
    await rest.get("/ip_policies");
  });

  const write = (name: string): Promise<RestAnswer> =>
    rest.post("/ip_policies", { description: name }, { "x-request-id": name });
  const traced = async (work: () => Promise<RestAnswer[]>): Promise<Trace> => {
    // strace shows whole pages, so that the test finds the written values in them.
    const strace = await Strace.attach(
      server.pid,
      "-s",
      "8192",
      "-e",
      "trace=read,write,writev,pwrite64,fsync,fdatasync",
    );
    const answers = await work();
    const trace = new Trace(await strace.detach());
    for (const answer of answers) expect(answer.status, answer.text).to.equal(201);
    return trace;
  };

  it(`is sent only after the write is synced to the disk: ${ONE_BY_ONE} writes, one by one`, async function () {
    this.timeout(LIMIT_MS);
    const names = Array.from({ length: ONE_BY_ONE }, (_, index) => `alone-${index}.`);
    const trace = await traced(async () => {
      const answers: RestAnswer[] = [];
      for (const name of names) answers.push(await write(name));
      return answers;
    });
    for (const name of names) trace.expectSyncedBeforeAnswer(name);
    expect(trace.syncs).to.be.at.least(ONE_BY_ONE);
  });

  it(`is sent only after that even if ${TOGETHER} writes at a time share a sync: ${GROUPS * TOGETHER} writes`, async function () {
    this.timeout(LIMIT_MS);
    const names = Array.from({ length: GROUPS }, (_, group) =>
      Array.from({ length: TOGETHER }, (_, index) => `group-${group}-${index}.`),
    );
    const trace = await traced(async () => {
      const answers: RestAnswer[] = [];
      for (const group of names) answers.push(...(await Promise.all(group.map(write))));
      return answers;
    });
    for (const name of names.flat()) trace.expectSyncedBeforeAnswer(name);
    expect(trace.syncs).to.be.lessThan(names.flat().length / 2);
    figure(`${names.flat().length} writes, ${trace.syncs} syncs`);
  });
});

/** The system calls of a server, in order. Its main thread makes all writes, syncs and answers. */
class Trace {
  readonly #calls: readonly string[];
  /** The index of the call that read a request, and of the one that wrote its answer. */
  readonly #arrivals = new Map<string, number>();
  readonly #answers = new Map<string, number>();

  constructor(lines: readonly string[]) {
    this.#calls = whole(lines);
    for (const [at, call] of this.#calls.entries()) {
      const name = /^(?:read|writev?)\(.*x-request-id: ([^\\]+)\\r/.exec(call)?.[1];
      if (name) (call.startsWith("read") ? this.#arrivals : this.#answers).set(name, at);
    }
  }

  get syncs(): number {
    return this.#calls.filter(isSync).length;
  }

  expectSyncedBeforeAnswer(name: string): void {
    const arrived = this.#arrivals.get(name);
    expect(arrived, `the arrival of ${name}`).to.be.a("number");
    const written = this.#next(arrived as number, (call) => isWrite(call) && call.includes(name));
    const synced = this.#next(written, isSync);
    expect(
      this.#answers.get(name),
      `the answer to ${name}, which was written at ${written} and synced at ${synced}`,
    ).to.be.greaterThan(synced);
  }

  #next(start: number, matches: (call: string) => boolean): number {
    for (let at = start + 1; at < this.#calls.length; at++) if (matches(this.#calls[at] as string)) return at;
    return Number.POSITIVE_INFINITY;
  }
}

const isWrite = (call: string): boolean => /^pwrite64\(\d+<[^>]*-wal>/.test(call);
const isSync = (call: string): boolean => /^f(data)?sync\(\d+<[^>]*-wal>\) += 0/.test(call);

/** The calls without thread numbers; one that another thread's interrupted stands where it ended. */
function whole(lines: readonly string[]): string[] {
  const begun = new Map<string, string>();
  return lines.flatMap((line) => {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const beginning = /^(.*) <unfinished \.\.\.>$/.exec(call)?.[1];
    if (beginning !== undefined) {
      begun.set(thread, beginning);
      return [];
    }
    const end = /^<\.\.\. \w+ resumed>(.*)$/.exec(call)?.[1];
    return [end === undefined ? call : `${begun.get(thread) ?? ""}${end}`];
  });
}

describe("On PostgreSQL: every transaction of a server", () => {
  it("waits for the disk, as by default in PostgreSQL: sessions leave synchronous_commit on", async () => {
    const data = await (await sharedPostgres()).newDatabase();
    await (await ServerProcess.start({ data })).stop();
    const session = await (await sharedPostgres()).connect(data);
    await session.query("create table seen (setting text)");
    await session.query(
      "create function see() returns trigger language plpgsql as 'begin insert into seen values (current_setting(''synchronous_commit'')); return null; end'",
    );
    await session.query(
      "create trigger see after insert or update or delete on resource for each row execute function see()",
    );
    await session.end();
    const server = await ServerProcess.start({ data });
    const rest = server.rest;
    const one = async (): Promise<void> => {
      const { uri } = (await rest.post("/ip_policies", {})).body;
      await rest.patch(uri, { description: "changed" });
      await rest.delete(uri);
    };
    await Promise.all(Array.from({ length: 20 }, one)).finally(() => server.stop());
    expect(
      await rowsIn(data, "select setting, count(*)::int as times from seen group by setting"),
    ).to.deep.equal([{ setting: "on", times: 60 }]);
  });
});
