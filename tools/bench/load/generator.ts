import { createHistogram } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds } from "../processes";
import { Connection } from "./connection";
import type { LoadJob, LoadResult } from "./job";
import { requestsOf } from "./requests";

// Runs in a process of its own, so that it shares its event loop with nothing that is measured.
process.on("message", (job: LoadJob) => {
  shoot(job).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.stack }),
  );
});

/** Sends the next request on each connection as soon as the last one is answered, or after a pause. */
async function shoot(job: LoadJob): Promise<LoadResult> {
  const next = requestsOf(job);
  const latency = createHistogram();
  const latencyOfRefusals = createHistogram();
  const counted = { answered: 0, refused: 0, errors: 0, firstAt: 0 };
  let sent = 0;
  const clients = Array.from({ length: job.connections }, (_, index) => {
    const url = job.urls[index % job.urls.length] as string;
    return { connection: new Connection(url, job.tls), host: new URL(url).host };
  });
  const fire = async (until: () => boolean) => {
    const over = new AbortController();
    const repeat = async ({ connection, host }: (typeof clients)[number]) => {
      while (!until()) {
        const request = next(sent++, host);
        const started = performance.now();
        const { status, retryAfter } = await connection.send(request);
        const ended = performance.now();
        const microseconds = Math.max(1, Math.round((ended - started) * 1000));
        if (job.refused && status === 503 && retryAfter > 0) {
          latencyOfRefusals.record(microseconds);
          counted.refused++;
          if (job.refused === "wait for Retry-After")
            await sleep(retryAfter * 1000, undefined, over).catch(() => undefined);
          continue;
        }
        latency.record(microseconds);
        counted.answered++;
        counted.firstAt ||= ended;
        if (Math.floor(status / 100) !== (job.expected ?? 2)) counted.errors++;
        if (job.pause) await sleep(job.pause);
      }
      over.abort();
    };
    await Promise.all(clients.map(repeat));
  };
  const after = (seconds: number) => {
    const end = performance.now() + seconds * 1000;
    return () => performance.now() >= end;
  };
  await fire(after(job.warmUp));
  latency.reset();
  latencyOfRefusals.reset();
  Object.assign(counted, { answered: 0, refused: 0, firstAt: 0 });
  const before = { cpu: cpuSeconds(job.pids), time: performance.now() };
  await fire(job.amount === undefined ? after(job.seconds) : () => sent >= (job.amount as number));
  const seconds = (performance.now() - before.time) / 1000;
  const cpu = cpuSeconds(job.pids);
  for (const { connection } of clients) connection.close();
  return {
    perSecond: counted.answered / seconds,
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
    first: counted.firstAt - before.time,
    refusedPerSecond: counted.refused / seconds,
    refusedP99: latencyOfRefusals.percentile(99) / 1000,
    errors: counted.errors,
    cpu: before.cpu === undefined || cpu === undefined ? null : ((cpu - before.cpu) / counted.answered) * 1e6,
    sent,
  };
}
