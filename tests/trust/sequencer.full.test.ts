import { join } from "node:path";
import { messageOf } from "@tunnelplane/sdk/contract";
import { Sequencer } from "../../server/src/journal/sequencer";
import { countIn, DATABASES, rowsIn, settled, sharedPostgres } from "../support/databases";
import { World } from "../support/events";
import { newFolder } from "../support/folder";
import { PostgresProxy } from "../support/postgresProxy";
import { run, ServerProcess } from "../support/server";
import { LIMIT_MS, size } from "../support/size";
import { Writers } from "./writers";

/** The steps in which a sequencer moves changes to the end of the log, by what their statements hold. */
const STEPS: Readonly<Record<string, RegExp>> = {
  "taking the end of the log": /from "audit_head" for update skip locked/,
  "reading what waits": /from inbox where n >/,
  "writing the audit log": /insert into "audit_event" .* from/,
  "writing the event log": /insert into "event" .* from/,
  "emptying the inbox": /delete from "inbox"/,
  "moving the end of the log": /update "audit_head"/,
  committing: /^commit$/,
};

const CREATIONS = size(300, 20_000);

/** Statements that only the connection of a sequencer has sent. */
const isSequencer = (before: ReadonlySet<string>): boolean =>
  [...before].some((sql) => /skip locked/.test(sql));

describe("On PostgreSQL: a server that is killed while it moves changes to the end of the log", () => {
  let data: string;
  const writers = new Writers();
  before("start another server on the same database", async () => {
    data = await (await sharedPostgres()).newDatabase();
    await ServerProcess.start({ data });
  });

  /** Lets clients write through a server until it is killed at a step. */
  const killAt = async (step: RegExp, end: "hold" | "hold the answer"): Promise<void> => {
    let server: ServerProcess | undefined;
    let isAtWork = false;
    let killed: Promise<unknown> | undefined;
    const proxy = await PostgresProxy.start(data, (sql, before) => {
      if (!isAtWork || !step.test(sql) || !(isSequencer(before) || /skip locked/.test(sql))) return "pass";
      // Something has to wait in the inbox, or the step moves nothing.
      if (writers.acknowledged < 20) return "pass";
      setImmediate(() => {
        killed ??= server?.stop("SIGKILL");
      });
      return end;
    });
    try {
      server = await ServerProcess.start({ data: proxy.url });
      isAtWork = true;
      await writers.run(server, () => false);
      await killed;
      expect(killed, "was killed").not.to.equal(undefined);
    } finally {
      isAtWork = false;
    }
  };

  for (const [step, statement] of Object.entries(STEPS)) {
    // What PostgreSQL did is lost with the transaction, but for a commit.
    for (const end of step === "committing" ? (["hold", "hold the answer"] as const) : (["hold"] as const)) {
      it(`loses, doubles and reorders nothing: ${step}, ${end === "hold" ? "before" : "after"} PostgreSQL did it`, async function () {
        this.timeout(LIMIT_MS);
        await killAt(statement, end);
        await settled(data);
        await writers.check(data);
        await expectInOrder(data);
      });
    }
  }
});

describe("On PostgreSQL: a backup of changes that have no place in the log yet", () => {
  for (const database of DATABASES) {
    it(`restores them into ${database.name}, where the first server gives them their places`, async function () {
      this.timeout(LIMIT_MS);
      const postgres = await sharedPostgres();
      const data = await postgres.newDatabase();
      const folder = newFolder();
      const server = await ServerProcess.start({ data });
      const session = await postgres.connect(data);
      let restored: ServerProcess | undefined;
      try {
        const rest = server.rest;
        await rest.post("/ip_policies", {});
        await settled(data);
        await session.query("begin");
        await session.query("select from audit_head for update");
        const ids: string[] = [];
        for (let index = 0; index < 5; index++) ids.push((await rest.post("/ip_policies", {})).body.id);
        const file = join(folder, "backup.gz");
        expect(await run(data, "backup", file)).to.include({ code: 0 });
        await session.query("rollback");
        const copy = await database.create();
        const { code, err } = await run(copy, "restore", file);
        expect(code, err).to.equal(0);
        expect(await rowsIn(copy, "select n from inbox")).to.have.length(5);
        restored = await ServerProcess.start({ data: copy });
        const other = restored.rest;
        ids.push((await other.post("/ip_policies", {})).body.id);
        const { events } = (await other.get("/events?type=ip_policy_created.v0")).body;
        expect(
          events
            .map((event: { object: { id: string } }) => event.object.id)
            .reverse()
            .slice(1),
        ).to.deep.equal(ids);
        expect(await rowsIn(copy, "select n from inbox")).to.deep.equal([]);
        const verified = await run(copy, "audit", "verify");
        expect(verified.code, verified.err).to.equal(0);
      } finally {
        await session.end();
      }
    });
  }
});

describe("On PostgreSQL: a reader of the log", () => {
  it("waits for all that was committed before, however much that is, and gives up only where nothing moves", async function () {
    this.timeout(LIMIT_MS);
    const postgres = await sharedPostgres();
    const data = await postgres.newDatabase();
    const world = await World.open(data);
    const session = await postgres.connect(data);
    try {
      const { store, keyring } = world.core;
      const sequencer = new Sequencer(store, keyring, 0);
      const waiting = () => countIn(data, "inbox");
      const objects = await world.objects(60);
      await world.change(objects, 40);
      expect(await waiting()).to.be.above(2_000); // which one pass moves
      await sequencer.settle();
      expect(await waiting()).to.equal(0);
      // These rows have smaller numbers than the moved ones, like those of a writer that commits late.
      await session.query("select setval(pg_get_serial_sequence('inbox', 'n'), 1)");
      await world.change(objects);
      await session.query("begin");
      await session.query("select from audit_head for update");
      const error = await sequencer.settle().catch((refusal: unknown) => refusal);
      expect(messageOf(error)).to.contain("another session has held the end of the audit log for too long");
    } finally {
      await session.end();
    }
  });
});

describe("On PostgreSQL: the writers of two servers", () => {
  it("do not wait for each other at the end of the log", async function () {
    this.timeout(LIMIT_MS);
    const postgres = await sharedPostgres();
    const data = await postgres.newDatabase();
    const servers = [await ServerProcess.start({ data }), await ServerProcess.start({ data })];
    const session = await postgres.connect(data);
    try {
      const before = await countIn(data, "resource");
      let left = CREATIONS;
      const write = async (server: ServerProcess) => {
        const rest = server.rest;
        while (left-- > 0) expect((await rest.post("/ip_policies", {})).status).to.equal(201);
      };
      const waits: string[] = [];
      const sample = async () => {
        while (left > 0) {
          const { rows } = await session.query<{ wait_event: string; query: string }>(
            `select wait_event, query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and wait_event in ('transactionid', 'tuple', 'object', 'advisory')`,
          );
          waits.push(...rows.map(({ wait_event, query }) => `${wait_event}: ${query}`));
        }
      };
      await Promise.all([
        sample(),
        ...Array.from({ length: 32 }, (_, index) => write(servers[index % 2] as ServerProcess)),
      ]);
      expect(waits).to.deep.equal([]);
      await settled(data);
      const events = await countIn(data, "event", "type = 'ip_policy_created.v0'");
      expect(events).to.be.at.least(CREATIONS);
      expect((await countIn(data, "resource")) - before).to.equal(events);
    } finally {
      await session.end();
    }
  });
});

/** Each object's events are in the order of its versions. */
async function expectInOrder(data: string): Promise<void> {
  const statement = "select object_id, payload from event where type like 'tls_edge_%' order by sequence";
  const revisions = new Map<string, number>();
  for (const { object_id, payload } of await rowsIn(data, statement)) {
    const { event_type, object } = JSON.parse(payload);
    const last = revisions.get(object_id) ?? 0;
    const revision = event_type.includes("deleted") ? last + 1 : Number(object.metadata);
    expect(revision, `event of ${object_id} after revision ${last}`).to.equal(last + 1);
    revisions.set(object_id, revision);
  }
}
