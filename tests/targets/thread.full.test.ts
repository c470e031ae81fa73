import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import type { DeliveryTarget } from "../../server/src/events/targets";
import { StandInServer } from "../support/standIn";
import { event, forever, monitoring } from "../support/targets";

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
  after(() => void unsubscribe("worker_threads", noteThread));
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

  it("reports why the service refused, and its Retry-After", async () => {
    const { sending, asked } = await send();
    asked[1].writeHead(429, { "retry-after": "7" }).end("too many");
    const error = await failureOf(sending);
    expect(error).to.include({
      ...{ name: "TargetError", message: "refused with status 429: too many", throttled: true },
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
