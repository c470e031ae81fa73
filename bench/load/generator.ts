import { createHistogram } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "undici";
import { cpuSeconds } from "../processes";
import type { LoadJob, LoadResult, Shot } from "./job";

// Runs in a process of its own, so that it shares its event loop with nothing that is measured.
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
  const latencyOfRefusals = createHistogram();
  const counted = { answered: 0, refused: 0, errors: 0, firstAt: 0 };
  let sent = 0;
  const clients = Array.from(
    { length: job.connections },
    (_, index) => new Client(job.urls[index % job.urls.length] as string, { connect: job.tls }),
  );
  const fire = async (until: () => boolean) => {
    const over = new AbortController();
    const connection = async (client: Client) => {
      while (!until()) {
        const started = performance.now();
        const { status, retryAfter } = await exchange(client, job.headers, next(sent++)).catch(() => NO_ANSWER);
        const ended = performance.now();
        const microseconds = Math.max(1, Math.round((ended - started) * 1000));
        if (job.refused && status === 503 && retryAfter > 0) {
          latencyOfRefusals.record(microseconds);
          counted.refused++;
          if (job.refused === "wait for Retry-After") await sleep(retryAfter * 1000, undefined, over).catch(() => undefined);
          continue;
        }
        latency.record(microseconds);
        counted.answered++;
        counted.firstAt ||= ended;
        if (Math.floor(status / 100) !== (job.expected ?? 2)) counted.errors++;
      }
      over.abort();
    };
    await Promise.all(clients.map(connection));
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
  await Promise.all(clients.map((client) => client.destroy()));
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

interface Line {
  readonly method: Shot["method"];
  readonly path: string;
  readonly body?: string;
}

interface Answer {
  readonly status: number;
  /** In seconds; 0 if the answer has none. */
  readonly retryAfter: number;
}

const NO_ANSWER: Answer = { status: 0, retryAfter: 0 };

/** Sends one request; resolves when the whole answer has arrived. */
function exchange(client: Client, headers: LoadJob["headers"], line: Line): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answer = NO_ANSWER;
    client.dispatch(
      { ...line, headers: line.body === undefined ? headers : { ...headers, "content-type": "application/json" } },
      {
        onRequestStart() {},
        onResponseStart: (_controller, status, answered) => {
          answer = { status, retryAfter: Number(answered["retry-after"] ?? 0) };
        },
        onResponseData() {},
        onResponseEnd: () => resolve(answer),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

/** The sequence of requests: each shot as often as its weight says, in a mixed order that is always the same. */
function requestsOf({ shots, ids = [], from }: LoadJob): (n: number) => Line {
  const deck = shots.flatMap((shot) => Array.from({ length: shot.weight ?? 1 }, () => shot));
  // A step that is coprime to the deck's length visits every card once.
  const step = [7, 11, 13].find((prime) => deck.length % prime !== 0) as number;
  return (n) => {
    const { method, path, body } = deck[(n * step) % deck.length] as Shot;
    const fill = (text: string) => text.replaceAll("{n}", String(from + n)).replaceAll("{id}", ids[n % ids.length] ?? "");
    return { method, path: fill(path), ...(body !== undefined && { body: fill(body) }) };
  };
}
