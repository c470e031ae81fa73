import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "../../../tests/support/postgres";
import type { Row, Section } from "../report/section";
import type { Settings } from "../settings";
import { LATENCY, measureLatency } from "./latency";
import { STREAM, startServices } from "./services";
import { measureThroughput, THROUGHPUT } from "./throughput";
import { World } from "./world";

/**
 * Measures throughput and latency of events. A process of its own stands in for Kinesis and accepts
 * everything at once.
 */
export async function measureEvents(settings: Settings): Promise<Section[]> {
  const services = await startServices();
  const postgres = await PostgresServer.start({ durable: true });
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-bench-"));
  const throughput: Row[] = [];
  const latency: Row[] = [];
  try {
    for (const [database, url] of [
      ["SQLite", undefined] as const,
      ["PostgreSQL", await postgres.newDatabase()] as const,
    ]) {
      const world = await World.open(folder, url);
      await world.destination(STREAM);
      throughput.push({ database, ...(await measureThroughput(world, settings, services.options)) });
      latency.push({ database, ...(await measureLatency(world, settings.changes, services.options)) });
      await world.core.store.close();
    }
  } finally {
    services.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return [
    { part: "events", ...THROUGHPUT, note: THROUGHPUT.note(settings), rows: throughput },
    { part: "events", ...LATENCY, note: LATENCY.note(settings.changes), rows: latency },
  ];
}
