import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { Worker } from "node:worker_threads";
import { expect } from "chai";
import type { DeliveryTarget } from "../../server/src/events/targets";
import { StandInServer } from "../support/standIn";
import { event, forever, inTheCloud, monitoring } from "../support/targets";

// As it is built: a thread has no loader for TypeScript.
const { TargetThread } = require(
  join(__dirname, "../../server/dist/events/targets/thread"),
) as typeof import("../../server/src/events/targets/thread");

/** A request to a stand-in that has not answered yet. */
type Asked = [request: IncomingMessage, response: ServerResponse];

describe("The thread that sends events", () => {
  const asked: Asked[] = [];
  const threads: Worker[] = [];
  let standIn: StandInServer;
  let target: DeliveryTarget;
  let arrived: () => void;

  const noteThread = (message: unknown) => void threads.push((message as { worker: Worker }).worker);
  before(async () => {
    standIn = await StandInServer.start(async (request, response) => {
      asked.push([request.resume(), response]);
      arrived();
    });
    subscribe("worker_threads", noteThread);
  });
  after(() => {
    unsubscribe("worker_threads", noteThread);
    standIn.stop();
  });
  beforeEach(() => {
    asked.length = 0;
    threads.length = 0;
    target = openTarget();
  });
  afterEach(() => target.close());

  const thread = new TargetThread();
  const openTarget = () =>
    thread.openTarget(monitoring(), { endpoints: { monitoring_service: standIn.url } });
  /** Sends, and waits until the service is asked. */
  async function send(signal = forever()): Promise<{ sending: Promise<unknown>; asked: Asked }> {
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const sending = target.send([event()], signal);
    sending.catch(() => {});
    await arrival;
    return { sending, asked: asked.at(-1) as Asked };
  }
  const failureOf = (sending: Promise<unknown>): Promise<Error> =>
    sending.then(
      () => expect.fail("it was accepted"),
      (error) => error,
    );

  it("reports the result of each event", async () => {
    const { sending, asked } = await send();
    asked[1].writeHead(202).end("{}");
    expect(await sending).to.deep.equal([{ ok: true }]);
  });

  it("sends each event unchanged, and reports which of a batch were refused", async () => {
    const failed = { ErrorCode: "InternalFailure", ErrorMessage: "Internal service failure" };
    const accepted = { SequenceNumber: "1", ShardId: "shardId-000000000000" };
    let records: { Data: string; PartitionKey: string }[] = [];
    const kinesis = await StandInServer.start(async (request, response) => {
      records = ((await json(request)) as { Records: typeof records }).Records;
      response.end(JSON.stringify({ FailedRecordCount: 1, Records: [accepted, failed, accepted] }));
    });
    const stream = thread.openTarget(inTheCloud().stream_service, {
      endpoints: { stream_service: kinesis.url },
    });
    const events = [1, 2, 3].map((number) => event({ key: `ipp_${number}` }));
    const sent = await stream.send(events, forever());
    stream.close();
    kinesis.stop();
    expect(sent.map(({ ok }) => ok)).to.deep.equal([true, false, true]);
    const arrived = records.map(({ Data, PartitionKey }) => ({
      key: PartitionKey,
      body: Buffer.from(Data, "base64").toString(),
    }));
    expect(arrived).to.deep.equal(events.map(({ key, body }) => ({ key, body })));
  });

  it("reports why the service refused, and its Retry-After", async () => {
    const { sending, asked } = await send();
    asked[1].writeHead(429, { "retry-after": "7" }).end("too many");
    const error = await failureOf(sending);
    expect(error).to.include({
      name: "TargetError",
      message: "refused with status 429: too many",
      throttled: true,
      retryAfterMs: 7000,
    });
  });

  it("aborts a batch when its sender gives up", async () => {
    const giving = new AbortController();
    const { sending, asked } = await send(giving.signal);
    const cut = once(asked[1], "close");
    giving.abort(new Error("given up"));
    expect(await failureOf(sending)).to.have.property("message", "given up");
    await cut;
  });

  it("sends nothing if the sender has given up already", async () => {
    expect(
      await failureOf(target.send([event()], AbortSignal.abort(new Error("given up")))),
    ).to.have.property("message", "given up");
    expect(threads).to.deep.equal([]);
  });

  it("fails its running batches when it dies, and a new thread replaces it", async () => {
    const { sending } = await send();
    await (threads[0] as Worker).terminate();
    expect(await failureOf(sending)).to.have.property("message", "the thread that sends events has ended");
    const again = await send();
    again.asked[1].writeHead(202).end("{}");
    expect(await again.sending).to.deep.equal([{ ok: true }]);
    expect(threads).to.have.length(2);
  });

  it("serves all targets, and ends with the last of them", async () => {
    const other = openTarget();
    for (const one of [target, other]) {
      const sending = one.send([event()], forever());
      arrived = () => asked.at(-1)?.[1].writeHead(202).end("{}");
      expect(await sending).to.deep.equal([{ ok: true }]);
    }
    expect(threads).to.have.length(1);
    const ended = once(threads[0] as Worker, "exit");
    other.close();
    const { sending, asked: last } = await send();
    last[1].writeHead(202).end("{}");
    await sending;
    target.close();
    await ended;
  });
});
