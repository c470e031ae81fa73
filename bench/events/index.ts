import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definitionOf } from "@tunnelplane/sdk/contract";
import { bootstrap, type Caller } from "../../server/src/accounts";
import { Callers } from "../../server/src/callers";
import type { Core } from "../../server/src/changes";
import { openCore } from "../../server/src/core";
import { Dispatcher } from "../../server/src/events/dispatcher";
import { type Outgoing, openTarget, type TargetOptions } from "../../server/src/events/targets";
import { newId } from "../../server/src/ids";
import { Resources } from "../../server/src/resources";
import { PostgresServer } from "../../support/postgres";
import { type Row, ratio, type Section } from "../report/section";
import type { Settings } from "../settings";

const KEY = "key-of-the-admin-of-this-benchmark";
const TARGET = {
  stream_service: {
    stream_ref: "arn:aws:kinesis:eu-west-1:123456789012:stream/events",
    auth: { creds: { cloud_access_key_id: "AKIAIOSFODNN7EXAMPLE", cloud_secret_access_key: "of-nobody" } },
  },
};
const PAGE = 1000;
const BATCH = 500;
const AT_ONCE = 2; // as many as the dispatcher has under way

/** How fast a backlog of events leaves, beside the same client that sends the same events without a database behind it. */
export async function measureEvents({ events }: Settings): Promise<Section[]> {
  const service = fork(join(__dirname, "standInKinesis.cjs"));
  const postgres = await PostgresServer.start();
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-bench-"));
  try {
    const options: TargetOptions = { endpoints: { stream_service: await addressOf(service) } };
    const rows: Row[] = [];
    for (const [database, databaseUrl] of [["SQLite", undefined] as const, ["PostgreSQL", await postgres.newDatabase()] as const]) {
      const core = await openCore({ data: folder, databaseUrl, databasePool: 10 });
      try {
        const sent = await backlog(core, events);
        const raw = await withoutUs(sent, options);
        const ours = await dispatched(core, events, options);
        rows.push({ database, ours, raw, ratio: ratio(ours, raw) });
      } finally {
        await core.store.close();
      }
    }
    return [
      {
        part: "events",
        title: "Delivering events",
        note: `${events} events, each of an object of its own, to one stream: a stand-in for Kinesis in a process of its own that takes everything at once. One dispatcher, from the first look to the last delivery recorded; the floor is the same client with the same events in batches of ${BATCH}, ${AT_ONCE} at once, and nothing else.`,
        columns: { database: "database", ours: "events/s", raw: "client alone, events/s", ratio: "×" },
        rows,
      },
    ];
  } finally {
    service.disconnect();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function addressOf(service: ChildProcess): Promise<string> {
  const [port] = await once(service, "message");
  return `http://127.0.0.1:${port}`;
}

/** A subscribed destination, and events for it that nobody has delivered yet. */
async function backlog(core: Core, count: number): Promise<Outgoing[]> {
  await bootstrap(core, KEY);
  const caller = (await new Callers(core.store).callerOf(KEY)) as Caller;
  const resources = new Resources(core, { caller, operationId: "op_1", client: "127.0.0.1", dryRun: false });
  const { id } = await resources.create(definitionOf("event_destination"), { target: TARGET });
  const sources = [{ type: "ip_policy_created.v0" }];
  await resources.create(definitionOf("event_subscription"), { sources, destination_ids: [id] });
  const definition = definitionOf("ip_policy");
  for (let made = 0; made < count; made += PAGE) {
    await core.store.write((transaction) => {
      const changes = Array.from({ length: Math.min(PAGE, count - made) }, () => {
        const object = newId(definition.idPrefix);
        const after = core.documents.compose(definition, object, new Date().toISOString(), {
          description: "made to be told of",
          metadata: "",
        });
        return { change: "created" as const, definition, id: object, after };
      });
      return core.journal.append(transaction, core.keyring.currentId, { ...caller, operationId: "op_1", client: "127.0.0.1" }, changes);
    });
  }
  const rows = await core.store.reader.selectFrom("event").selectAll().where("type", "=", "ip_policy_created.v0").execute();
  return rows.map(({ id: event, object_id, created_at, payload }) => ({
    id: event,
    key: object_id,
    time: new Date(created_at),
    body: payload,
  }));
}

async function withoutUs(events: readonly Outgoing[], options: TargetOptions): Promise<number> {
  const none = { delivery_service: null, log_service: null, monitoring_service: null };
  const { stream_ref, auth } = TARGET.stream_service;
  const target = openTarget({ ...none, stream_service: { stream_ref, auth: { role: null, ...auth } } }, options);
  const signal = new AbortController().signal;
  await target.send(events.slice(0, BATCH), signal); // loads the client
  const started = performance.now();
  let next = 0;
  const sender = async () => {
    while (next < events.length) {
      const batch = events.slice(next, next + BATCH);
      next += BATCH;
      await target.send(batch, signal);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  target.close();
  return (events.length / (performance.now() - started)) * 1000;
}

async function dispatched(core: Core, count: number, targetOptions: TargetOptions): Promise<number> {
  const dispatcher = new Dispatcher(core, { targetOptions, address: () => "http://127.0.0.1:4040", logger: console });
  const started = performance.now();
  await dispatcher.deliverDue();
  const took = performance.now() - started;
  await dispatcher.stop(0);
  const { left } = await core.store.reader
    .selectFrom("delivery")
    .select(({ fn }) => fn.countAll<number>().as("left"))
    .where("status", "<>", "delivered")
    .executeTakeFirstOrThrow();
  if (Number(left) > 0) throw new Error(`${left} events were not delivered`);
  return (count / took) * 1000;
}
