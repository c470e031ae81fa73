import { createHistogram } from "node:perf_hooks";
import { Client } from "undici";
import { cpuSeconds } from "../processes";
import type { LoadJob, LoadResult, Shot } from "./job";

// A process of its own, so that nothing that is measured shares its event loop.
process.on("message", (job: LoadJob) => {
  shoot(job).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.stack }),
  );
});

/** Sends the next request on each connection as soon as the last one is answered. */
async function shoot(job: LoadJob): Promise<LoadResult> {
  const next = requestsOf(job);
  const latency = createHistogram();
  const counted = { answered: 0, errors: 0 };
  let sent = 0;
  const clients = Array.from({ length: job.connections }, (_, index) => new Client(job.urls[index % job.urls.length] as string));
  const fire = async (until: () => boolean) => {
    const connection = async (client: Client) => {
      while (!until()) {
        const started = performance.now();
        const status = await exchange(client, job.headers, next(sent++)).catch(() => 0);
        latency.record(Math.max(1, Math.round((performance.now() - started) * 1000)));
        counted.answered++;
        if (Math.floor(status / 100) !== (job.expected ?? 2)) counted.errors++;
      }
    };
    await Promise.all(clients.map(connection));
  };
  const after = (seconds: number) => {
    const end = performance.now() + seconds * 1000;
    return () => performance.now() >= end;
  };
  await fire(after(job.warmUp));
  latency.reset();
  counted.answered = 0;
  const before = { cpu: cpuSeconds(job.pids), time: performance.now() };
  await fire(job.amount === undefined ? after(job.seconds) : () => sent >= (job.amount as number));
  const seconds = (performance.now() - before.time) / 1000;
  const cpu = cpuSeconds(job.pids);
  await Promise.all(clients.map((client) => client.destroy()));
  return {
    perSecond: counted.answered / seconds,
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
    errors: counted.errors,
    cpu: before.cpu === undefined || cpu === undefined ? null : ((cpu - before.cpu) / counted.answered) * 1e6,
    sent,
  };
}

interface Line {
  readonly method: Shot["method"];
  readonly path: string;
  readonly body?: string;
}

/** One request; resolves with its status when the last byte of the answer is here. */
function exchange(client: Client, headers: LoadJob["headers"], line: Line): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    client.dispatch(
      { ...line, headers: line.body === undefined ? headers : { ...headers, "content-type": "application/json" } },
      {
        onRequestStart() {},
        onResponseStart: (_controller, code) => {
          status = code;
        },
        onResponseData() {},
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

/** The requests in turn: each shot as often as it weighs, in an order that is mixed and always the same. */
function requestsOf({ shots, ids = [], from }: LoadJob): (n: number) => Line {
  const deck = shots.flatMap((shot) => Array.from({ length: shot.weight ?? 1 }, () => shot));
  // A step that shares no factor with the deck's length visits every card once.
  const step = [7, 11, 13].find((prime) => deck.length % prime !== 0) as number;
  return (n) => {
    const { method, path, body } = deck[(n * step) % deck.length] as Shot;
    const fill = (text: string) => text.replaceAll("{n}", String(from + n)).replaceAll("{id}", ids[n % ids.length] ?? "");
    return { method, path: fill(path), ...(body !== undefined && { body: fill(body) }) };
  };
}
