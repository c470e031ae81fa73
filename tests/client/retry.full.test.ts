import type { IncomingMessage, ServerResponse } from "node:http";
import { ConnectionError, RateLimitError, ServerError, TimeoutError, Tunnelplane } from "@tunnelplane/sdk";
import { StandInServer } from "../support/standIn";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers in turn; the last one for good. Returns what the client did and how many tries it made. */
async function tries(
  answers: Answer[],
  use: (api: Tunnelplane) => Promise<unknown>,
  timeoutMs = 60_000,
): Promise<{ outcome: unknown; count: number }> {
  let count = 0;
  const server = await StandInServer.start((request, response) => {
    request.resume();
    request.on("end", () => answers[Math.min(count++, answers.length - 1)]?.(request, response));
  });
  const api = new Tunnelplane({ baseUrl: server.url, apiKey: "x", timeoutMs });
  const outcome = await use(api).catch((error: unknown) => error);
  return { outcome, count };
}

const refuse =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    const body = {
      ...{ error_code: "TP_1801", status_code: status, msg: "not now" },
      details: { operation_id: "op_1" },
    };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
const accept: Answer = (_request, response) =>
  response.writeHead(200, { "content-type": "application/json" }).end('{"id":"ipp_1"}');
const hangUp: Answer = (request) => request.socket.destroy();
const staySilent: Answer = () => undefined;
const DONE = { id: "ipp_1" };
const soon = { "retry-after": "0" };
const create = (api: Tunnelplane) => api.ipPolicies.create({});
const get = (api: Tunnelplane) => api.ipPolicies.get("ipp_1");
const update = (api: Tunnelplane) => api.ipPolicies.update("ipp_1", {});

describe("The client tries again", () => {
  for (const [what, answers, use, outcome, tried, timeoutMs] of [
    ["what the server refuses with 429 and Retry-After", [refuse(429, soon), accept], create, DONE, 2],
    ["what the server refuses with 503 and Retry-After", [refuse(503, soon), accept], create, DONE, 2],
    ["a read that the server refuses with 503 and Retry-After", [refuse(503, soon), accept], get, DONE, 2],
    ["a request that may be repeated, whose connection breaks", [hangUp, accept], get, DONE, 2],
    ["a creation whose connection breaks", [hangUp, accept], create, DONE, 2],
    [
      "a creation in which the server fails, so that its outcome is unknown",
      [refuse(500), accept],
      create,
      DONE,
      2,
    ],
    ["once, what may be repeated and is not answered", [staySilent], create, TimeoutError, 2, 1_000],
    ["no more than three times what is refused", [refuse(429, soon)], get, RateLimitError, 4],
    ["no more than three times where the connection breaks", [hangUp], get, ConnectionError, 4],
    [
      "no change that must not be made twice, whose connection breaks",
      [hangUp, accept],
      update,
      ConnectionError,
      1,
    ],
    ["nothing that is refused without Retry-After", [refuse(503), accept], get, ServerError, 1],
    ["no other change in which the server fails", [refuse(500), accept], get, ServerError, 1],
    ["no change that is not answered in time", [staySilent], update, TimeoutError, 1, 1_000],
  ] as const)
    it(what, async () => {
      const found = await tries([...answers], use, timeoutMs);
      if (outcome === DONE) expect(found.outcome).to.deep.equal(outcome);
      else expect(found.outcome).to.be.instanceOf(outcome);
      if (outcome === TimeoutError) expect(String(found.outcome)).to.contain("did not answer within 1 s");
      expect(found.count).to.equal(tried);
    });
});

describe("A client with patience", () => {
  const patience = { ms: 3_000 };
  const busy = refuse(429, { "retry-after": "0" });
  /** Sends requests at once to a server that refuses as many as it is asked to, and then accepts all. */
  async function whileBusy(
    refusals: number,
    requests: number,
  ): Promise<{ outcomes: unknown[]; order: string[] }> {
    const order: string[] = [];
    let left = refusals;
    const server = await StandInServer.start((request, response) => {
      order.push(request.url ?? "");
      request.resume().on("end", () => (left-- > 0 ? busy : accept)(request, response));
    });
    const api = new Tunnelplane({ baseUrl: server.url, apiKey: "x", patience, connections: 1 });
    const outcomes = await Promise.all(
      Array.from({ length: requests }, (_, n) => api.ipPolicies.get(`ipp_${n}`).catch((error) => error)),
    );
    return { outcomes, order };
  }

  it("does as often as a server asks, and gives up when it has waited for as long as it may", async () => {
    expect((await whileBusy(8, 1)).outcomes).to.deep.equal([{ id: "ipp_1" }]);
    const { outcomes, order } = await whileBusy(1_000, 1);
    expect(outcomes[0]).to.be.instanceOf(RateLimitError);
    expect(order).to.have.length(1 + patience.ms / 200);
  });

  it("sends its requests one after the other while a server asks it to wait, in their order", async () => {
    const { outcomes, order } = await whileBusy(5, 4);
    expect(outcomes).to.deep.equal(new Array(4).fill({ id: "ipp_1" }));
    const served = order.slice(-4);
    expect(served).to.deep.equal([0, 1, 2, 3].map((n) => `/ip_policies/ipp_${n}`));
  });
});
